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
import { holding, isHolding } from './planner/holding'
import { isRunningInPlace, KINDS, stopInPlace, unasked } from './planner/stop'
import { inMoments, startRounds, type Rounds } from './rounds'
import type { ClusterView, Consumer } from './types'

const ROUND_MS = 5_000
/** Managers that are restarted are being rolled out for a while; after that it is something else. */
const UNKNOWN_MS = 60_000
/** So long an answer is waited for. */
const NO_ANSWER_MS = 30_000

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
    const unknown: Unknown = new Map()
    // What hangs goes on beside the next rounds: they stop what else there is.
    const soon = inMoments((of: ClusterView) => round(of, unknown), { ms: 2_000, atOnce: 8 })
    rounds.set(
      view,
      startRounds((stopped) => soon(view, stopped), ROUND_MS),
    )
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => void rounds.get(view)?.stop(),
}

type Kind = (typeof KINDS)[number]
/** Since when that could not be read, by a clock that nobody sets. */
type Unknown = Map<Kind, number>

async function round(view: ClusterView, unknown: Unknown): Promise<void> {
  try {
    await stopWhereUnasked(view, unknown)
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'in-place guard' })
    log.warn({ err, cluster: view.name }, 'whether the managers still ask could not be followed; it will be repeated')
  }
}

/**
 * Stops what was approved in place where the managers would not ask, each kind of group by the managers that ask about it. Their gates
 * and the registration say so each by themselves: of the other one there may be no answer. `unknown`: since when that could not be read.
 */
export async function stopWhereUnasked(
  view: ClusterView,
  unknown: Unknown = new Map(),
  now = monotonic,
): Promise<void> {
  if (!(await isRunningInPlace(view.clusterId))) return unknown.clear()
  const failed: Error[] = []
  const stop = async (why: string | null | undefined, kinds: readonly Kind[]): Promise<void> => {
    if (why && kinds.length > 0) await stopInPlace(view, why, kinds).catch((error: Error) => failed.push(error))
  }
  const asked = now()
  const [gates, registration] = await Promise.all([
    gatesOf(view).then(async (gates) => {
      const off = KINDS.filter((kind) => gates?.[kind].some(({ state }) => state === 'off'))
      await stop(UNASKED.off, off)
      return gates
    }),
    unregistered(view).then(async (why) => {
      await stop(why, KINDS)
      return why
    }),
  ])
  const unread = KINDS.filter(
    (kind) => registration === undefined || !gates || gates[kind].some(({ state }) => state === 'unknown'),
  )
  for (const kind of KINDS)
    if (!unread.includes(kind)) unknown.delete(kind)
    // From when it was asked; what this process slept through is no answer that did not come.
    else if (!unknown.has(kind)) unknown.set(kind, Math.max(asked, now() - NO_ANSWER_MS))
  await stop(
    UNASKED.unknown,
    unread.filter((kind) => now() - unknown.get(kind)! >= UNKNOWN_MS),
  )
  const { rediscover } = view
  if (gates && rediscover && KINDS.some((kind) => isNews(view, kind, gates)) && !isHolding(view, ANEW))
    await holding(view, ANEW, () => planAnew(view, rediscover))
  if (failed.length > 0) throw new AggregateError(failed, failed[0]!.message)
}

/** By one round at a time: it is dozens of reads. */
const ANEW = 'found anew'

const monotonic = (): number => performance.now()

const isNews = ({ capabilities }: ClusterView, kind: Kind, gates: KindGates): boolean =>
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
