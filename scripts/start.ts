import { parseArgs } from 'node:util'
import { closeDatabase } from '@/lib/db/client'
import { rememberAddress } from './support/address'
import { readArgs } from './support/args'
import { ensureBuild } from './support/build'
import { openDatabase, prepareDataDir } from './support/database'
import { readEnvironment } from './support/environment'
import { Ending, main } from './support/ending'
import { firstAdminLink } from './support/first-admin'
import { keepRunning } from './support/keep'
import { tsx } from './support/paths'
import { parsePort, requireFree } from './support/ports'
import { startWeb, webReady } from './support/web'

const USAGE = `npm start -- [options]      everything: database, web, worker
  --port N                  port of the pages (3000, or PORT)
  --host ADDRESS            address to listen on (127.0.0.1; 0.0.0.0 for all)
  --only web|worker         one of the two (with DATABASE_URL)
  --dev                     pages are compiled as they are opened`

const say = (line: string): void => console.log(line)
const ending = new Ending()

await main(ending, async () => {
  const { values } = readArgs(USAGE, () =>
    parseArgs({
      options: {
        port: { type: 'string', default: process.env.PORT || '3000' },
        host: { type: 'string', default: '127.0.0.1' },
        only: { type: 'string' },
        dev: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }),
  )
  if (values.help) return say(USAGE)
  const { only, host, dev } = values
  if (only && only !== 'web' && only !== 'worker') throw new Error(`--only is web or worker, not ${only}.`)
  if (only && !process.env.DATABASE_URL) {
    throw new Error(
      `--only ${only} needs DATABASE_URL: web and worker meet in the database. Without it, run npm start.`,
    )
  }
  const { DRYDOCK_DATA_DIR, DRYDOCK_URL } = readEnvironment()
  const port = parsePort(values.port)
  const web = only !== 'worker'
  if (web) await requireFree(port, host)
  prepareDataDir(DRYDOCK_DATA_DIR)
  const database = await openDatabase(DRYDOCK_DATA_DIR, say)
  ending.add(() => database.stop())
  // Without its database nothing here goes on: whoever runs us starts us again.
  void database.embedded?.ended.then(() => {
    if (!ending.begun)
      console.error(`PostgreSQL has ended; stopping the rest. Its last words:\n${database.embedded?.tail()}`)
    return ending.run().then(() => process.exit(1))
  })
  if (web && !dev) await ensureBuild(say, ending)
  if (only !== 'web') {
    const worker = keepRunning({ name: 'worker', args: tsx('worker/main.ts'), say })
    ending.add(() => worker.stop())
  }
  if (!web) return
  const pages = startWeb({ port, host, dev, say })
  ending.add(() => pages.stop())
  await ending.unless(webReady(port, host))
  const address = (DRYDOCK_URL ?? `http://${host === '0.0.0.0' ? 'localhost' : host}:${port}`).replace(/\/$/, '')
  rememberAddress(DRYDOCK_DATA_DIR, address)
  const link = await firstAdminLink()
  await closeDatabase()
  say(`\nDrydock is at ${address}`)
  if (link)
    say(
      `Nobody has an account yet. Make the first administrator within 24 h, with this one-time link:\n  ${address}${link}`,
    )
})
