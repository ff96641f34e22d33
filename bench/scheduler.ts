import { randomUUID } from 'node:crypto'
import { db, pool } from '@/lib/db/client'
import { lookAtRuns } from '@/worker/planner/kept-runs'
import { placeInWaves } from '@/worker/planner/waves'
import type { ClusterView } from '@/worker/types'
import { childrenRan } from './cpu'
import { percentile, setUp } from './setup'

const WAVES = 50
const ROUNDS = 20

/**
 * So many groups in fifty waves, each with a change that waits: what a round of the worker costs, and how long it is from a
 * wave's last change being done until the next wave is open.
 */
export async function scheduler(groups: number): Promise<Record<string, number>> {
  const bench = await setUp(100)
  try {
    const { clusterId } = bench
    await fill(clusterId, groups)
    const view = { clusterId, fence: 1n, name: 'bench' } as ClusterView
    const timed = async (work: () => Promise<unknown>): Promise<[number, number]> => {
      const [started, ran] = [performance.now(), childrenRan()]
      await work()
      return [performance.now() - started, childrenRan() - ran]
    }
    const place = () => placeInWaves(view, lookAtRuns)
    const [first] = await timed(place)
    const steady: [number, number][] = []
    for (let round = 0; round < ROUNDS; round++) steady.push(await timed(place))
    const next: number[] = []
    for (let wave = 0; wave < 5; wave++) {
      await db().change.updateMany({
        where: { wave: { path: ['index'], equals: wave } },
        data: { state: 'done', finishedAt: new Date() },
      })
      next.push((await timed(place))[0])
      const open = await db().change.count({ where: { wave: { path: ['index'], equals: wave + 1 }, AND: OPEN } })
      if (open === 0) throw new Error(`Wave ${wave + 2} is not open.`)
    }
    const ms = (values: readonly number[], share: number) => Math.round(percentile(values, share))
    const took = steady.map(([wall]) => wall)
    return {
      ...{ groups, waves: WAVES, firstRoundMs: Math.round(first) },
      ...{ roundP50Ms: ms(took, 0.5), roundP95Ms: ms(took, 0.95) },
      databaseMsPerRound: ms(
        steady.map(([, cpu]) => cpu),
        0.5,
      ),
      nextWaveOpenP95Ms: ms(next, 0.95),
    }
  } finally {
    await bench.stop()
  }
}

const OPEN = { wave: { path: ['state'], equals: 'open' } }

async function fill(clusterId: string, groups: number): Promise<void> {
  await pool().query(
    `INSERT INTO cluster_lease (cluster_id, owner, fence, until) VALUES ($1, 'bench', 1, now() + interval '1 hour')`,
    [clusterId],
  )
  const select = { workloadClusters: ['*'] }
  const waves = Array.from({ length: WAVES - 1 }, (_, i) => ({ name: `w${i}`, size: '2%' }))
  await db().rolloutPolicy.create({ data: { id: randomUUID(), name: 'bench', spec: { select, waves } } })
  await pool().query(
    `INSERT INTO machine_group (id, cluster_id, kind, api_version, namespace, name, workload_cluster, version, resource_version, created_at)
     SELECT gen_random_uuid(), $1, 'MachineDeployment', 'cluster.x-k8s.io/v1beta2', 'fleet', 'md-' || i, 'c' || i % 200, 'v1.34.2', '1', now()
     FROM generate_series(1, $2::int) i`,
    [clusterId, groups],
  )
  await pool().query(
    `INSERT INTO change (id, cluster_id, group_id, group_kind, namespace, group_name, workload_cluster, fingerprint, state,
       summary, wish, change_set, outlook, held_by, resource_version, machines)
     SELECT gen_random_uuid(), cluster_id, id, kind, namespace, name, workload_cluster, 'f', 'waiting', 'v1.34.1 → v1.34.2',
       'version v1.34.2', '{"pairs":[],"fields":[]}', '{}', 'latch', '1', 5 FROM machine_group WHERE cluster_id = $1`,
    [clusterId],
  )
  await pool().query('VACUUM ANALYZE')
}
