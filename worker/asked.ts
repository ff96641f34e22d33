import { gatesFor, type KindGates } from '@/lib/domain/capabilities'
import { UNASKED } from '@/lib/domain/latch/unasked'
import { discoverGates } from '@/lib/kubernetes/discovery/gates'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ServiceError } from '@/lib/services/errors'
import { readGate } from '@/lib/services/gate/look'
import { EXTENSION_RESOURCE } from '@/lib/services/gate/manifest'
import { log } from './log'
import { failures } from './metrics'
import { planWaiting } from './planner'
import { isRunningInPlace, KINDS, stopInPlace, unasked } from './planner/stop'
import { startRounds, type Rounds } from './rounds'
import type { ClusterView, Consumer } from './types'

const ROUND_MS = 5_000
/** Managers that are restarted are being rolled out for a while; after so many rounds it is something else. */
const UNKNOWN_ROUNDS = 12

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
    const unknown = new Map<string, number>()
    rounds.set(
      view,
      startRounds(() => round(view, unknown), ROUND_MS),
    )
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => void rounds.get(view)?.stop(),
}

async function round(view: ClusterView, unknown: Map<string, number>): Promise<void> {
  try {
    await stopWhereUnasked(view, unknown)
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'in-place guard' })
    log.warn({ err, cluster: view.name }, 'whether the managers still ask could not be followed; it will be repeated')
  }
}

/**
 * Stops what was approved in place where the managers would not ask, each kind of group by the managers that ask about it.
 * `unknown` counts by kind how often that could not be read.
 */
export async function stopWhereUnasked(view: ClusterView, unknown = new Map<string, number>()): Promise<void> {
  if (!(await isRunningInPlace(view.clusterId))) return unknown.clear()
  const [gates, registration] = await Promise.all([gatesOf(view), unregistered(view)])
  const failed: Error[] = []
  for (const kind of KINDS) {
    const states = gates?.[kind].map(({ state }) => state) ?? ['unknown']
    const unread = registration === undefined || states.includes('unknown')
    const rounds = unread ? (unknown.get(kind) ?? 0) + 1 : 0
    unknown.set(kind, rounds)
    const why =
      registration ?? (states.includes('off') ? UNASKED.off : rounds > UNKNOWN_ROUNDS ? UNASKED.unknown : null)
    if (why) await stopInPlace(view, why, [kind]).catch((error: Error) => failed.push(error))
  }
  if (gates && view.rediscover && KINDS.some((kind) => isNews(view, kind, gates))) await planAnew(view, view.rediscover)
  if (failed.length > 0) throw new AggregateError(failed, failed[0]!.message)
}

const isNews = ({ capabilities }: ClusterView, kind: (typeof KINDS)[number], gates: KindGates): boolean =>
  gatesFor(capabilities.gates, kind).some(({ state }, i) => state !== gates[kind][i]?.state)

/** What is stopped would else be shown for a while as what can be done in place. */
async function planAnew({ clusterId }: ClusterView, rediscover: () => Promise<void>): Promise<void> {
  await rediscover()
  await planWaiting(clusterId)
}

/** Null where they cannot be read. */
async function gatesOf(view: ClusterView): Promise<KindGates | null> {
  try {
    return (await discoverGates(view.client, view.capabilities)).gates.ofKind
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable) return null
    throw error
  }
}

/** Why, by the registration, they would not ask; null where they would, undefined where it cannot be read. */
async function unregistered(view: ClusterView): Promise<string | null | undefined> {
  if (!view.capabilities.resources[EXTENSION_RESOURCE]) return UNASKED.gone
  try {
    return unasked(await readGate(view.clusterId))
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return UNASKED.gone
    const unread = [KubeError, KubeUnreachable, ServiceError].some((kind) => error instanceof kind)
    if (unread) return undefined
    throw error
  }
}
