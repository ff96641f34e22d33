import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestenv } from './up'

/** `npm run testenv`: prints a kubeconfig, stays up, Ctrl-C ends everything. */
const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    port: { type: 'string' },
    openshift: { type: 'boolean', default: false },
    'without-in-place': { type: 'boolean', default: false },
  },
})

const started = Date.now()
const testenv = await startTestenv({
  dir: values.dir ?? join(import.meta.dirname, '.run', String(process.pid)),
  apiPort: values.port ? Number(values.port) : undefined,
  openshift: values.openshift,
  inPlace: !values['without-in-place'],
  say: console.log,
})
for (const [identity, text] of Object.entries(testenv.kubeconfigs)) {
  writeFileSync(join(testenv.dir, `${identity}.kubeconfig`), text, { mode: 0o600 })
}
console.log(`Ready after ${((Date.now() - started) / 1000).toFixed(1)} s. Logs and the kubeconfigs are in ${testenv.dir}:
  drydock.kubeconfig     Drydock's own identity: connect this one
  admin.kubeconfig       an administrator who is not Drydock
  breakGlass.kubeconfig  an administrator of the break-glass group
  export KUBECONFIG=${join(testenv.dir, 'admin.kubeconfig')}
  ${join(testenv.bin, 'kubectl')} get clusters -A
Ctrl-C ends everything.`)

let stopping = false
const stop = async (code: number) => {
  if (stopping) return
  stopping = true
  await testenv.stop()
  process.exit(code)
}
process.on('SIGINT', () => void stop(0))
process.on('SIGTERM', () => void stop(0))
// The processes' pipes do not keep this process alive by themselves.
setInterval(() => {}, 1 << 30)
void testenv.failed.then((why) => {
  if (stopping) return
  console.error(why)
  void stop(1)
})
