import { db } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { EXTENSION_CONFIG } from '@/lib/domain/latch/names'
import { namedIn } from '@/lib/kubernetes/paths'
import { KubeError, KubeUnreachable, type KubeClient, type Resource } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { EXTENSION_RESOURCE } from '../gate/manifest'
import { withUnnamed } from '../latch/unnamed'
import { growingOf } from '../scaling/growing'
import { atHook } from './at-hook'
import { kubeClientFor } from './connection'
import { livePools, poolsWords } from './held-pools'
import { policyWords } from './policy-words'
import { poolsThatMove, whatMoves, type Moves } from './what-moves'

export interface DisconnectPlan {
  clusterId: string
  name: string
  /** Paused on the API server: stay as they are, also without Drydock. */
  staysHeld: string[]
  /** At a hook of Cluster API, and not paused: they get the version of their Cluster by it, and the latch pauses them in that write. */
  atHook: string[]
  /**
   * Held only by the gate's answers, in the middle of an approved update, or to stand still and not held yet: these would move,
   * or stop half-way. Where somebody paused them by hand, as soon as that pause is taken away.
   */
  wouldMove: Moves[]
  /** Under way, and let go: goes on as it does, with the gate or without. */
  goesOn: string[]
  /** Of what is held: machines in the middle of an update in place, and what becomes of them. */
  halfWay: string[]
  registered: boolean
  sentences: string[]
}

const DELETED =
  'The credentials and the lists of its machines and groups are deleted; the audit and the history of its changes stay readable.'

const skippedWords = (controlPlanes: string[]): string[] =>
  controlPlanes.length === 0
    ? []
    : [
        `Checks before new workers stay skipped where somebody let worker groups grow: take that back first, on the updates of ${controlPlanes.join(', ')}.`,
      ]

/** Nothing is held, and nothing is installed. */
const NOTHING_GOVERNED = ['Nothing in the cluster is changed: Drydock holds nothing here.', DELETED]

/** What disconnecting would leave held, and what it would let move: asked of the API server, group by group. */
export async function planFor(clusterId: string): Promise<DisconnectPlan> {
  const cluster = await db().managementCluster.findUnique({ where: { id: clusterId } })
  if (!cluster) throw new ServiceError('not-found', 'There is no such management cluster.')
  const client = await kubeClientFor(clusterId)
  const capabilities = await withUnnamed(client, cluster)
  const registered = (await registration(client, capabilities)) !== null
  const { staysHeld, wouldMove, goesOn } = capabilities.clusterApi
    ? await whatMoves(clusterId, client, capabilities, registered)
    : { staysHeld: [], wouldMove: [], goesOn: [] }
  const hook = registered ? await atHook(clusterId, cluster) : { held: [], moves: [] }
  // What got the version a moment ago is known by that.
  const known = new Set([...staysHeld, ...wouldMove.map(({ group }) => group)])
  wouldMove.push(...hook.moves.filter(({ group }) => !known.has(group)))
  const pools = await livePools(client, capabilities)
  if (capabilities.openshift) wouldMove.push(...(await poolsThatMove(clusterId, pools?.free ?? null)))
  const ofPools = poolsWords({
    held: pools?.held ?? null,
    latchForm: cluster.latchForm,
    pausing: cluster.watchPoolsOnly,
  })
  const governs = capabilities.clusterApi !== null || registered
  const growing = await growingOf(db(), clusterId)
  const skipped = growing.map(({ namespace, name }) => `${namespace}/${name}`)
  const sentences = governs
    ? [
        ...words(staysHeld, registered, cluster.latchForm),
        ...ofPools,
        ...skippedWords(skipped),
        ...(await policyWords(cluster)),
      ]
    : cluster.latchForm === 'none' && ofPools.length === 0
      ? NOTHING_GOVERNED
      : [
          ...(ofPools.length > 0 ? ofPools : ['Nothing is held.']),
          DELETED,
          latchWords(cluster.latchForm),
          ...(await policyWords(cluster)),
        ]
  const halfWay = await halfWayWords(clusterId, true)
  return {
    clusterId,
    name: cluster.name,
    staysHeld: [...staysHeld, ...(pools?.held ?? [])],
    atHook: hook.held.filter((group) => !known.has(group)),
    wouldMove,
    goesOn,
    halfWay,
    registered,
    sentences,
  }
}

/** The plan for a cluster that cannot be asked. One that answers is disconnected properly. */
export async function planWithout(clusterId: string): Promise<DisconnectPlan> {
  const cluster = await db().managementCluster.findUnique({ where: { id: clusterId } })
  if (!cluster) throw new ServiceError('not-found', 'There is no such management cluster.')
  const client = await kubeClientFor(clusterId)
  if (await answers(client))
    throw new ServiceError('conflict', `${cluster.name} answers: it is not gone.`, { hint: 'Disconnect it.' })
  const held = await db().group.findMany({
    where: { clusterId, held: { not: null } },
    select: { kind: true, namespace: true, name: true },
  })
  const registered = cluster.gateState === 'registered'
  const lost = held.length > 0 || registered
  return {
    clusterId,
    name: cluster.name,
    staysHeld: held.map(({ kind, namespace, name }) => `${kind} ${namedIn(namespace, name)}`),
    ...{ atHook: [], wouldMove: [], goesOn: [] },
    halfWay: await halfWayWords(clusterId, false),
    registered,
    sentences: [
      `It does not answer, so nothing of it can be released: should it come back, what is held is held still${registered ? ', and its registration goes on asking a gate that no longer knows it and holds everything' : ''}.`,
      ...(lost ? ['Connect it again to release that, or let its break-glass group do it.'] : []),
      ...(await policyWords(cluster)),
      DELETED,
    ],
  }
}

/** A refusal of our credentials is no answer: they cannot release anything either. */
async function answers(client: KubeClient): Promise<boolean> {
  try {
    await client.raw('/version')
    await client.list({ group: '', version: 'v1', plural: 'namespaces' }, undefined, { limit: 1 })
    return true
  } catch (error) {
    if (error instanceof KubeUnreachable || (error instanceof KubeError && error.code === 401)) return false
    if (error instanceof KubeError) return true
    throw error
  }
}

const MOST_NAMED = 3

/**
 * A hold stops what has not begun. What has begun needs the gate to go on, and its remediation is what it was before.
 * `answers`: the cluster does, so that skipping can be taken back; else it is as it was when it was last heard.
 */
async function halfWayWords(clusterId: string, answers: boolean): Promise<string[]> {
  const begun = await db().machine.findMany({
    where: { clusterId, OR: [{ updating: true }, { skipMark: { not: null } }], deleting: false },
    select: { namespace: true, name: true, updating: true, skipMark: true },
    orderBy: [{ namespace: 'asc' }, { name: 'asc' }],
  })
  const named = (machines: typeof begun): string => {
    const more = machines.length - MOST_NAMED
    const names = machines.slice(0, MOST_NAMED).map(({ namespace, name }) => `${namespace}/${name}`)
    return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  }
  const updating = begun.filter((machine) => machine.updating)
  const skipped = begun.filter(({ skipMark }) => skipMark !== null)
  return [
    ...(updating.length > 0
      ? [
          `In the middle of an update in place: ${named(updating)}. Nobody goes on with it without the gate: it stays half-way until the cluster is connected and the gate registered again, or the machine is deleted.${answers ? ' Better let it end before.' : ''}`,
        ]
      : []),
    ...(skipped.length > 0
      ? [
          answers
            ? `Remediation is skipped by Drydock for ${named(skipped)}: that is taken back, and a health check that finds one of them ill may then delete it.`
            : `Remediation is skipped by Drydock for ${named(skipped)}: that stays so until somebody takes the annotation away there.`,
        ]
      : []),
  ]
}

/** Where the registration stands on the API server; null: there is none. */
export async function registration(
  client: KubeClient,
  { resources }: Pick<Capabilities, 'resources'>,
): Promise<Resource | null> {
  const known = resources[EXTENSION_RESOURCE]
  for (const version of known ? [known] : REGISTERED_IN) {
    const resource = { group: 'runtime.cluster.x-k8s.io', version, plural: 'extensionconfigs' }
    try {
      await client.get(resource, EXTENSION_CONFIG)
      return resource
    } catch (error) {
      // Where nobody named such a thing, Drydock need not be allowed to look for one.
      if (!(error instanceof KubeError) || !(error.code === 404 || (error.code === 403 && !known))) throw error
    }
  }
  return null
}

const REGISTERED_IN = ['v1beta2', 'v1alpha1']

const words = (staysHeld: string[], registered: boolean, latchForm: string): string[] => [
  heldWords(staysHeld.length, latchForm),
  registered
    ? 'The registration of the gate is released: from then on Cluster API replaces machines without asking.'
    : 'The gate is not registered.',
  DELETED,
  latchWords(latchForm),
]

const latchWords = (form: string): string =>
  NO_LATCH[form] ?? `The latch stays installed until it is removed${form === 'webhook' ? WEBHOOK : ''}.`

/** Whoever serves the gate answers it, also of a cluster that is not connected. */
const WEBHOOK =
  ': while this Drydock’s gate answers, new changes of governed groups are held by it still, and nobody approves them here; while it does not, such writes are refused. Remove the latch first, if you mean to leave for good'

/** Where no latch was installed. */
const NO_LATCH: Record<string, string> = {
  none: 'No latch was installed from here: nothing new is held.',
  watch: 'Drydock watches here, and no latch is installed: that ends, and nothing new is held.',
}

/** What is guarded by a latch, the break-glass group alone can release. */
function heldWords(n: number, latchForm: string): string {
  if (n === 0) return 'Nothing is held.'
  const [stay, it] = n === 1 ? ['The group that is held stays', 'it'] : [`The ${n} groups that are held stay`, 'them']
  return latchForm in NO_LATCH
    ? `${stay} paused; anybody who may edit ${it} can take that away then.`
    : `${stay} paused; only the break-glass group can release ${it} then.`
}
