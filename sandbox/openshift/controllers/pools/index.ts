import { HOST } from '../../../controllers/names'
import { withBuilt } from '../../../../lib/providers/openshift/built'
import { readPool } from '../../../../lib/providers/openshift/pools'
import { R, all, one, AS, type Env } from '../env'
import type { StoreEvent } from '../../../types'
import { hasWork, takeUp } from './daemon'
import { members, PREFIX } from './node'
import { renderNext, roundOf } from './render'
import { candidates, poolStatus } from './rules'

const FIRST_SECONDS = 20
const ROUND_SECONDS = 240
const SYNC_SECONDS = 0.5

export interface PoolControllers {
  /** After a change of a pool or a node. */
  changed(event: StoreEvent): void
  idle(): Promise<void>
}

/** Node controller, drain controller and the daemons of all nodes: pools take up whatever config they are pointed at. */
export function startPools(env: Env, failed: (error: unknown) => void): PoolControllers {
  const working = new Map<string, Promise<void>>()
  let dirty = true
  let loop: Promise<void> | null = null
  const run = async () => {
    while (dirty && !env.stopped()) {
      dirty = false
      await syncPools(env).catch(failed)
      for (const { metadata } of all(env, R.nodes)) begin(metadata.name)
      if (!(await env.sleep(SYNC_SECONDS))) break
    }
    loop = null
  }
  const wake = () => {
    dirty = true
    loop ??= run()
  }
  const begin = (name: string) => {
    if (working.has(name) || !hasWork(env, name)) return
    const work = takeUp(env, name)
      .catch(failed)
      .finally(() => {
        working.delete(name)
        wake()
      })
    working.set(name, work)
  }
  wake()
  return {
    changed: ({ resource }) => {
      if (!env.stopped() && [R.pools, R.nodes, R.osConfigs].some((one) => one === resource)) wake()
    },
    async idle() {
      await Promise.allSettled([loop ?? Promise.resolve(), ...working.values()])
    },
  }
}

/** One sync of every pool: who is told next, then what its status says. */
async function syncPools(env: Env): Promise<void> {
  for (const { metadata } of all(env, R.pools)) {
    const name = metadata.name
    const found = one(env, R.pools, name)
    if (!found) continue
    const pool = withBuilt(found, all(env, R.osConfigs))
    const { image } = readPool(pool)
    const target = String((pool.spec?.configuration as { name?: string } | undefined)?.name)
    for (const { object } of candidates(pool, members(env, name))) {
      const annotations = { [`${PREFIX}desiredConfig`]: target, [`${PREFIX}desiredImage`]: image ?? null }
      await env.store.merge(R.nodes, object.metadata.name, { metadata: { annotations } }, AS.controller)
    }
    const status = poolStatus(pool, members(env, name))
    if (status) await env.store.merge(R.pools, name, { status }, AS.controller, 'status')
  }
}

/** Now and then somebody changes a MachineConfig of the workers, as soon as they are through with the one before. */
export async function poolLife(env: Env, cluster: string): Promise<void> {
  let round = roundOf(env, cluster, 'worker')
  for (let wait = FIRST_SECONDS; await env.sleep(wait); wait = ROUND_SECONDS) {
    const pool = one(env, R.pools, 'worker')
    if (!pool || pool.spec?.paused === true || HOST.leftAlone in (pool.metadata.annotations ?? {})) continue
    const { machineCount, updatedMachineCount } = pool.status ?? {}
    if (machineCount === updatedMachineCount) await renderNext(env, cluster, 'worker', ++round)
  }
}
