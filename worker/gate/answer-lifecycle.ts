import { db } from '@/lib/db/client'
import type { Change, Group, ManagementCluster } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import type { Capabilities } from '@/lib/domain/capabilities'
import { isObject, safeText, valueAt } from '@/lib/domain/changes'
import type { Json, JsonObject } from '@/lib/domain/json'
import { isOneStep, nextInOrder } from '@/lib/providers/cluster-api/upgrade'
import { OPEN } from '@/lib/services/changes/states'
import { systemCtx } from '@/lib/services/context'
import {
  holderOf,
  LATCH_UNKNOWN,
  notLatchedWords,
  toldWords,
  type Asking,
  type Holder,
  type Telling,
} from '@/lib/services/upgrades/lifecycle'
import { whyNotYet } from '@/lib/services/upgrades/why-not-yet'
import { Hold, HOOKS } from './constants'
import type { Answered } from './record'

/** Cluster API asks again after this, and not before, whatever happens to the Cluster. */
const AGAIN_SECONDS = 5

interface Asked {
  clusterId: string
  hook: Asking
  namespace: string
  name: string
  /** That the control plane, or the workers, get now. */
  version: string
}

/** "Success" with a time to ask again after blocks (hooks v1alpha1, CommonRetryResponse); without one the upgrade goes on. */
const answer = (hook: string, message: string, retryAfterSeconds = 0): JsonObject => ({
  ...{ apiVersion: HOOKS, kind: `${hook}Response`, status: 'Success', retryAfterSeconds },
  message: retryAfterSeconds > 0 ? `drydock: ${message}` : '',
})

/** What came to an end is written down, and keeps nothing. */
export function answerTold(hook: Telling, request: JsonObject): Answered {
  const { namespace, name } = namesOf(request)
  const version = valueAt(request, 'kubernetesVersion')
  const message = toldWords(typeof version === 'string' ? safeText(version) : null)
  return { response: answer(hook, ''), record: { group: `${namespace}/${name}`, answer: 'passed', message } }
}

/**
 * Whether Cluster API may hand a version down to the control plane of a managed Cluster, or to its workers: where what comes of
 * that would be let go. Groups that Drydock holds in no way are not kept from anything here either.
 */
export async function answerAsked(clusterId: string, hook: Asking, request: JsonObject): Promise<Answered> {
  const { namespace, name } = namesOf(request)
  const about = { group: `${namespace}/${name}` }
  const version = versionIn(hook, request)
  if (!version) throw new Hold('the request names no version', about)
  const asked: Asked = { clusterId, hook, namespace, name, version }
  const cluster = await db().managementCluster.findUniqueOrThrow({
    where: { id: clusterId },
    select: { latchForm: true, latchStatus: true, latchCheckedAt: true, discovery: true },
  })
  const { held, first } = await subjectOf(asked, request, cluster)
  // Held by something that is not there, nothing would keep it once it has the version: nor what gets it later, which nobody asks about again.
  const latched = held.find((one) => one.holder === 'latch' && one.version !== version)
  const broken = latched ? await whyNotLatched(cluster) : null
  const group = broken && first?.holder !== 'latch' ? latched : first
  if (!group) {
    const none = held.length > 0 ? 'no group that is held here gets it now' : 'nothing of it is held here'
    return passed(hook, about, `${version}: ${none}`)
  }
  const change = await db().change.findFirst({
    where: { clusterId, groupId: group.id, state: { in: OPEN } },
    orderBy: { detectedAt: 'desc' },
  })
  const named = { changeId: change?.id, group: `${namespace}/${group.name}` }
  if (!broken && change?.heldBy !== 'hook' && surelyHeld(group.holder, asked) && isNotForeseen(change, asked))
    return passed(hook, named, `${version}: it could not be looked at beforehand, and is held when it has it`)
  const why = broken ?? (change ? await whyNot(change, asked) : notSeen(group, asked, request))
  if (!why || change?.heldBy === 'hook') asking.delete(keyOf(asked))
  return {
    response: why ? answer(hook, `${group.name}: ${safeText(why)}`, AGAIN_SECONDS) : answer(hook, ''),
    record: { ...named, answer: why ? 'held' : 'passed', message: safeText(why ?? `${version} is handed down`) },
  }
}

const passed = (hook: Asking, about: { changeId?: string | undefined; group: string }, message: string): Answered => ({
  response: answer(hook, ''),
  record: { ...about, answer: 'passed', message },
})

const NOT_SEEN = 'this upgrade has not been seen by Drydock yet'
/** For ever: nobody can approve it, and nothing would hold it once the group has it. */
const NEVER_SEEN =
  'more than one minor version up cannot be looked at before it comes where Cluster API does not tell the steps, and no latch of the API server would hold it then: have the latch govern this group, or go up one minor version at a time'

function notSeen(group: HeldGroup, asked: Asked, request: JsonObject): string {
  const wanted = valueAt(request, 'cluster', 'spec', 'topology', 'version') ?? request.toKubernetesVersion
  const isOfSteps = group.version !== null && typeof wanted === 'string' && !isOneStep(group.version, wanted)
  if (isOfSteps && !surelyHeld(group.holder, asked) && isNotForeseen(null, asked)) return NEVER_SEEN
  // The planner looks at what comes where nothing of what was before is left (worker/planner/upcoming.ts).
  if (group.paused) return 'somebody paused it: it is looked at when that is over'
  return group.upToDateReplicas < group.replicas ? 'not all of its machines are up to date yet' : NOT_SEEN
}

/** The latch is looked at four times a minute, where a worker has the cluster. */
const LOOKED_AT_MS = 120_000

async function whyNotLatched({ latchStatus, latchCheckedAt }: Managing): Promise<string | null> {
  const age = latchCheckedAt ? (await databaseNow(db())).getTime() - latchCheckedAt.getTime() : Infinity
  return age > LOOKED_AT_MS ? LATCH_UNKNOWN : notLatchedWords(latchStatus)
}

/** The latch pauses the write; and of workers nothing moves before the gate is asked. */
const surelyHeld = (holder: Holder, { hook }: Asked): boolean =>
  holder === 'latch' || (holder === 'gate' && hook === 'BeforeWorkersUpgrade')

const FORESEEN_MS = 30_000
/** Whoever has not asked for so long has given it up: it is another upgrade that is asked for then. */
const GIVEN_UP_MS = 600_000
const MOST = 10_000
/** Since when it has been asked for what the planner does not show at its hook, and last. Begun anew where this process is. */
const asking = new Map<string, { since: number; last: number }>()
const keyOf = ({ clusterId, hook, namespace, name, version }: Asked): string =>
  JSON.stringify([clusterId, hook, namespace, name, version])

/**
 * Some versions cannot be looked at before the group has them: steps of an upgrade that Cluster API does not tell, a group that is
 * held for something else. What is held then all the same need not block here for ever.
 */
function isNotForeseen(change: Change | null, asked: Asked): boolean {
  // What people let go is through first.
  if (change && !['waiting', 'rejected'].includes(change.state)) return false
  const [key, now] = [keyOf(asked), Date.now()]
  const before = asking.get(key)
  const since = before && now - before.last <= GIVEN_UP_MS ? before.since : now
  if (!before && asking.size >= MOST) asking.clear()
  asking.set(key, { since, last: now })
  return now - since > FORESEEN_MS
}

function namesOf(request: JsonObject): { namespace: string; name: string } {
  const metadata = valueAt(request, 'cluster', 'metadata')
  const [namespace, name] = isObject(metadata) ? [metadata.namespace, metadata.name] : []
  if (typeof namespace !== 'string' || typeof name !== 'string') throw new Hold('the request names no Cluster')
  return { namespace, name }
}

/** Of a whole upgrade, its first step: those after it are asked about one by one. */
function versionIn(hook: Asking, request: JsonObject): string | null {
  const [first] = (hook === 'BeforeClusterUpgrade' ? (request.controlPlaneUpgrades as Json[] | undefined) : []) ?? []
  const version = valueAt(first, 'version') ?? request.toKubernetesVersion
  return typeof version === 'string' && version !== '' ? version : null
}

type Managing = Pick<ManagementCluster, 'latchForm' | 'latchStatus' | 'latchCheckedAt' | 'discovery'>
type HeldGroup = Group & { holder: Holder }

interface Subject {
  /** All that Drydock holds of what is asked about. */
  held: HeldGroup[]
  /** That of them which gets the version first; null: none does now. */
  first: HeldGroup | null
}

async function subjectOf(asked: Asked, request: JsonObject, cluster: Managing): Promise<Subject> {
  const { clusterId, hook, namespace, name, version } = asked
  const workers = hook === 'BeforeWorkersUpgrade'
  const controlPlane = valueAt(request, 'cluster', 'spec', 'controlPlaneRef')
  if (!workers && (!isObject(controlPlane) || controlPlane.kind !== 'KubeadmControlPlane'))
    return { held: [], first: null }
  const groups = await db().group.findMany({
    where: {
      ...{ clusterId, namespace, workloadCluster: name, kind: workers ? 'MachineDeployment' : 'KubeadmControlPlane' },
      ...(workers ? { topologyName: { not: null } } : { name: String((controlPlane as JsonObject).name) }),
    },
  })
  if (!workers && groups.length === 0)
    throw new Hold('its control plane has not been seen by Drydock yet', { group: `${namespace}/${name}` })
  const capabilities = cluster.discovery as unknown as Capabilities
  const held = groups.flatMap((group) => {
    const holder = holderOf(cluster, capabilities, group)
    // Without machines there is nothing to look at, and nothing to keep.
    const empty = workers && group.replicas === 0 && group.desiredReplicas === 0
    return holder && !empty ? [{ ...group, holder }] : []
  })
  const first = workers ? nextInOrder(valueAt(request, 'cluster') as JsonObject, held, version) : (held[0] ?? null)
  return { held, first }
}

async function whyNot(change: Change, { hook, version }: Asked): Promise<string | null> {
  if (change.heldBy !== 'hook')
    return change.settling
      ? `an earlier update of it (${change.summary}) waits for its machines to be Ready, or for somebody to count it as done`
      : `an earlier update of it is not over (${change.summary})`
  if (change.toVersion !== version) return `Drydock expected ${change.toVersion ?? 'another version'}, not ${version}`
  return whyNotYet(systemCtx('gate'), change, { hook, version })
}
