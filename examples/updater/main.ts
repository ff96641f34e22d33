import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { nodePatcher, startReferenceUpdater } from './index'

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '9443' },
    cert: { type: 'string' },
    key: { type: 'string' },
    delay: { type: 'string', default: '8' },
    'nodes-by': { type: 'string' },
  },
})

if (!values.cert || !values.key) {
  console.error('Give the server certificate with --cert FILE and its key with --key FILE (PEM).')
  process.exit(2)
}
const seconds = Number(values.delay)
const port = Number(values.port)
if (!Number.isFinite(seconds) || seconds < 0 || !Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error('--delay is a number of seconds, --port a number from 0 to 65535.')
  process.exit(2)
}

const updater = await startReferenceUpdater({
  host: values.host,
  port,
  tls: { certPem: readFileSync(values.cert, 'utf8'), keyPem: readFileSync(values.key, 'utf8') },
  delayMs: seconds * 1000,
  onNode: values['nodes-by'] ? nodePatcher(readFileSync(values['nodes-by'], 'utf8')) : undefined,
  log: (line) => console.log(line),
})
console.log(`Listening on ${updater.url}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void updater.stop())
