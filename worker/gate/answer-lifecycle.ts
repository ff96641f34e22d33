import { db } from '@/lib/db/client'
import type { Change, Group, ManagementCluster } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { isObject, safeText, valueAt } from '@/lib/domain/changes'
import type { Json, JsonObject } from '@/lib/domain/json'
import { versionKey } from '@/lib/domain/version'
import { nextInOrder } from '@/lib/providers/cluster-api/upgrade'
import { OPEN } from '@/lib/services/changes/states'
import { systemCtx } from '@/lib/services/context'
import { isHeldAfterwards, type Asking, type Telling } from '@/lib/services/upgrades/lifecycle'
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
  const message = typeof version === 'string' ? `told of ${safeText(version)}` : 'told'
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
  const cluster = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const group = await subjectOf(asked, request, cluster)
  const passed = (why: string): Answered => ({
    response: answer(hook, ''),
    record: { ...about, answer: 'passed', message: `${version}: ${why}` },
  })
  if (!group) return passed('nothing of it is held here')
  const change = await db().change.findFirst({
    where: { clusterId, groupId: group.id, state: { in: OPEN } },
    orderBy: { detectedAt: 'desc' },
  })
  if (!change && isUntold(request, cluster))
    return passed('its steps are not told beforehand; it is held when it is there')
  const named = { changeId: change?.id, group: `${namespace}/${group.name}` }
  const why = change ? await whyNot(change, asked) : 'this upgrade has not been seen by Drydock yet'
  const message = why ?? `${version} is handed down`
  return {
    response: why ? answer(hook, `${group.name}: ${safeText(why)}`, AGAIN_SECONDS) : answer(hook, ''),
    record: { ...named, answer: why ? 'held' : 'passed', message: safeText(message) },
  }
}

/** Several minor versions at once, and the Cluster does not say by which steps: Cluster API does so from 1.14 on. */
function isUntold({ controlPlaneUpgrades: steps }: JsonObject, { discovery }: ManagementCluster): boolean {
  const key = versionKey((discovery as unknown as Capabilities).clusterApi?.version)
  return Array.isArray(steps) && steps.length > 1 && key !== null && key < versionKey('v1.14.0-alpha.0')!
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

/** The group that would get the version first; null: none that Drydock holds. */
async function subjectOf(asked: Asked, request: JsonObject, cluster: ManagementCluster): Promise<Group | null> {
  const { clusterId, hook, namespace, name, version } = asked
  const workers = hook === 'BeforeWorkersUpgrade'
  const controlPlane = valueAt(request, 'cluster', 'spec', 'controlPlaneRef')
  if (!workers && (!isObject(controlPlane) || controlPlane.kind !== 'KubeadmControlPlane')) return null
  const groups = await db().group.findMany({
    where: {
      ...{ clusterId, namespace, workloadCluster: name, kind: workers ? 'MachineDeployment' : 'KubeadmControlPlane' },
      ...(workers ? { topologyName: { not: null } } : { name: String((controlPlane as JsonObject).name) }),
    },
  })
  if (!workers && groups.length === 0)
    throw new Hold('its control plane has not been seen by Drydock yet', { group: `${namespace}/${name}` })
  const capabilities = cluster.discovery as unknown as Capabilities
  const held = groups.filter((group) => isHeldAfterwards(cluster, capabilities, group))
  if (!workers) return held[0] ?? null
  return nextInOrder(valueAt(request, 'cluster') as JsonObject, held, version)
}

async function whyNot(change: Change, { hook, version }: Asked): Promise<string | null> {
  if (change.heldBy !== 'hook') return `an earlier update of it is not over (${change.summary})`
  if (change.toVersion !== version) return `Drydock expected ${change.toVersion ?? 'another version'}, not ${version}`
  return whyNotYet(systemCtx('gate'), change, { hook, version })
}
