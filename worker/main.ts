import { closeDatabase, db } from '@/lib/db/client'
import { closeClients } from '@/lib/services/clusters/connection'
import { log } from './log'
import { startWorker } from './worker'

/** Process entry of the worker. SIGTERM and SIGINT stop it cleanly: watches end, leases are let go. */
// With the first query of a process Prisma stops the event loop for 0.2 s: here, where nothing is watched yet.
void db()
  .policy.findFirst()
  .catch(() => undefined)

const port = process.env.DRYDOCK_WORKER_PORT
const worker = await startWorker({
  port: port === undefined || port === '' ? undefined : Number(port),
  host: process.env.DRYDOCK_WORKER_HOST,
})
log.info({ owner: worker.owner, port: worker.port }, 'worker started')

let stopping = false
const stop = async (signal: string) => {
  if (stopping) return
  stopping = true
  log.info({ signal }, 'stopping')
  // Whatever hangs must not keep the process: the leases run out by themselves.
  const overdue = setTimeout(() => process.exit(1), 10_000)
  overdue.unref()
  await worker.stop()
  await closeClients()
  await closeDatabase()
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))

// A bug in one place must not end the watching of all clusters; it is logged and counted, and the rest goes on.
process.on('unhandledRejection', (error) => log.error({ err: error }, 'an error that nobody handled'))
