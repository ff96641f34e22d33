import { join } from 'node:path'
import { closeDatabase } from '@/lib/db/client'
import { runningUrl } from '@/lib/db/embedded'
import { closeClients } from '@/lib/services/clusters/connection'
import { testenvProblem } from '@/testenv/up'
import { ensureBuild } from './build'
import { openDatabase, prepareDataDir } from './database'
import { requireSize, startReal, startSandboxes, type DemoCluster } from './demo-clusters'
import { connect, govern, governPools, raiseVersion, updaterMoved } from './demo-setup'
import { startDemoUpdater, type DemoUpdater } from './demo-updater'
import type { Ending } from './ending'
import { keepRunning } from './keep'
import { tsx } from './paths'
import { keptPort, requireFree } from './ports'
import { startWeb, webReady } from './web'

export interface DemoOptions {
  dir: string
  port: number
  machines?: number
  real?: boolean
  /** Also OpenShift on the platforms beside AWS. */
  clouds?: boolean
  /** Of its database, where it may lose its data. */
  settings?: Record<string, string>
  ending: Ending
  say: (line: string) => void
  /** Called while the database is open and the pages answer. */
  ready(stack: { databaseUrl: string; clusters: DemoCluster[] }): Promise<void>
}

const HOST = '127.0.0.1'

/** Database, clusters, updater, worker and pages, wired together by the verbs that a person would use. */
export async function startDemo({
  dir,
  port,
  machines,
  real,
  clouds = false,
  settings,
  ending,
  say,
  ready,
}: DemoOptions): Promise<void> {
  const started = Date.now()
  await requireFree(port, HOST)
  if (runningUrl(join(dir, 'postgres'))) {
    throw new Error(`A demo runs on the data in ${dir} already. For a second one, add --dir FOLDER and --port N.`)
  }
  const problem = real ? await testenvProblem() : null
  if (problem) throw new Error(problem)
  prepareDataDir(dir)
  if (!real) requireSize(dir, machines)
  // The demo has a world of its own: it leaves a database and keys that the environment names alone.
  for (const name of ['DATABASE_URL', 'DRYDOCK_URL', 'DRYDOCK_KEY', 'DRYDOCK_SECRET']) delete process.env[name]
  process.env.DRYDOCK_DATA_DIR = dir
  process.env.DRYDOCK_LOG_LEVEL ??= 'warn'
  // A port of its own: two demos, or a demo beside a real Drydock, do not meet.
  for (const name of ['DRYDOCK_GATE_HOST', 'DRYDOCK_GATE_LISTEN', 'DRYDOCK_WORKER_PORT']) delete process.env[name]
  const gate = await keptPort(join(dir, 'gate.port'))
  process.env.DRYDOCK_GATE_PORT = String(gate.port)

  process.env.DRYDOCK_COOKIE_PREFIX = `${port}.drydock`

  const built = ensureBuild(say, ending)
  built.catch(() => {}) // awaited below
  const database = await openDatabase(dir, () => {}, settings)
  ending.add(() => database.stop())
  await built // what happens in the fleet begins when somebody can look at it
  if (!real)
    say(
      `Starting ${clouds ? 'seven' : 'two'} simulated clusters, the worker and the pages: about ${clouds ? 20 : 10} s …`,
    )
  const clusters = real ? await startReal(dir, say, ending) : await startSandboxes(dir, machines, clouds, ending)
  const governed = clusters.find((cluster) => cluster.flavour !== 'openshift') ?? clusters[0]!
  const updater = await startDemoUpdater(dir, governed.adminKubeconfig, ending)
  const worker = keepRunning({ name: 'worker', args: tsx('worker/main.ts'), say })
  ending.add(() => worker.stop())

  const setUps = Promise.all(clusters.map((cluster) => setUp(cluster, updater, gate.moved)))
  setUps.catch(() => {}) // awaited below
  const web = startWeb({ port, host: HOST, say })
  ending.add(() => web.stop())
  await ending.unless(Promise.all([webReady(port, HOST), setUps]))
  say(`Ready after ${Math.round((Date.now() - started) / 1000)} s.`)
  await ready({ databaseUrl: database.url, clusters })
  await closeClients()
  await closeDatabase()
  const parts = [
    { name: 'PostgreSQL', ended: database.embedded!.ended },
    ...clusters.map(({ name, ended }) => ({ name: `The management cluster ${name}`, ended })),
  ]
  const over = await Promise.race(parts.map(({ name, ended }) => ended.then(() => name)))
  if (!ending.begun) throw new Error(`${over} has ended; ending the rest.`)
}

async function setUp(cluster: DemoCluster, updater: DemoUpdater, gateMoved: boolean): Promise<void> {
  const { clusterId, fresh } = await connect(cluster)
  if (cluster.flavour === 'openshift') {
    if (fresh || gateMoved) await governPools(clusterId)
    return
  }
  if (fresh || gateMoved || (await updaterMoved(updater))) await govern(clusterId, updater)
  if (fresh) await raiseVersion(cluster)
}
