import { discoverGates } from '@/lib/kubernetes/discovery/gates'
import { KubeError } from '@/lib/kubernetes/types'
import { ServiceError } from '@/lib/services/errors'
import { readGate } from '@/lib/services/gate/look'
import { EXTENSION_RESOURCE } from '@/lib/services/gate/manifest'
import { log } from './log'
import { failures } from './metrics'
import { GONE, isRunningInPlace, stopInPlace, unasked } from './planner/stop'
import { startRounds, type Rounds } from './rounds'
import type { ClusterView, Consumer } from './types'

const ROUND_MS = 5_000
/** Managers that are restarted are being rolled out for a while; after so many rounds it is something else. */
const UNKNOWN_ROUNDS = 12
const OFF = 'in-place updates were switched off in its manager, and the rest would be replaced'
const UNKNOWN = 'whether its managers would still ask could not be read for a minute'

const rounds = new WeakMap<ClusterView, Rounds>()

/**
 * Looks again and again whether the managers would still ask, while something approved in place is under way: an upgrade
 * of Cluster API that resets their feature gates is no event that anybody could watch, and a registration may go while a
 * release is on its way.
 */
export const askedConsumer: Consumer = {
  name: 'in-place guard',
  resources: [],
  afterRows: false,
  onSynced: (view) => {
    const unknown = { rounds: 0 }
    rounds.set(
      view,
      startRounds(() => round(view, unknown), ROUND_MS),
    )
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => void rounds.get(view)?.stop(),
}

async function round(view: ClusterView, unknown: { rounds: number }): Promise<void> {
  try {
    await stopWhereUnasked(view, unknown)
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'in-place guard' })
    log.warn({ err, cluster: view.name }, 'whether the managers still ask could not be followed; it will be repeated')
  }
}

/** Stops what was approved in place where the managers would not ask. `unknown` counts how often that could not be read. */
export async function stopWhereUnasked(view: ClusterView, unknown = { rounds: 0 }): Promise<void> {
  if (!(await isRunningInPlace(view.clusterId))) {
    unknown.rounds = 0
    return
  }
  const { ofKind } = await discoverGates(view.client, view.capabilities)
  const kinds = Object.entries(ofKind)
  const off = kinds.filter(([, gates]) => gates.some(({ state }) => state === 'off')).map(([kind]) => kind)
  if (off.length > 0) await stopInPlace(view, OFF, off)
  const why = await unregistered(view)
  if (why) return stopInPlace(view, why)
  const unread = why === undefined || kinds.some(([, gates]) => gates.some(({ state }) => state === 'unknown'))
  unknown.rounds = unread ? unknown.rounds + 1 : 0
  if (unknown.rounds > UNKNOWN_ROUNDS) await stopInPlace(view, UNKNOWN)
}

/** Why, by the registration, they would not ask; null where they would, undefined where it cannot be read. */
async function unregistered(view: ClusterView): Promise<string | null | undefined> {
  if (!view.capabilities.resources[EXTENSION_RESOURCE]) return GONE
  try {
    return unasked(await readGate(view.clusterId))
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return GONE
    if (error instanceof KubeError || error instanceof ServiceError) return undefined
    throw error
  }
}
