import { namedIn } from '@/lib/kubernetes/paths'
import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { outOfServiceWords } from '@/lib/domain/changes/outlook-words'
import { gatesFor, type Capabilities } from '@/lib/domain/capabilities'
import { POOL } from '@/lib/domain/latch/hold'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK, WAITING } from '@/lib/domain/latch/names'
import { oneWayWords } from '@/lib/domain/pools/one-way'
import type { KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { comingUp, type ComingUp } from '../remediation/coming-up'
import { rulesForAll } from '../policies/rules-for'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { aheadOfPlane } from './ahead-of-plane'
import { requireNotRemembered } from './cannot-be'
import { outlookIn, type DecisionCall } from './change-row'
import { notInPlaceWords } from './decidable'
import { drainLimits, drainWords } from './drain-limit'
import { failureOf } from './failure'
import { callFor, groupResource, patchFor } from './patch-for'
import { hasMembers, planeRisks } from './plane'
import { poolTroubles } from './pool-trouble'
import { PreviewInput } from './schemas'
import { nameToType } from './typed-name'

export interface DecisionPreview {
  changeId: string
  fingerprint: string
  headline: string
  /** Cluster API asks first whether the group may have the version: the calls follow when it has it. */
  atHook: boolean
  /** Verbatim; the decision's id is put in when it is made. */
  calls: DecisionCall[]
  /** What cannot be taken back. */
  irreversible: string[]
  /** The name to type before control plane machines are deleted. */
  needsTypedName: string | null
  /** What stands against it, by what is known of etcd, of the control plane's version, or of its pool. */
  risks: string[]
  /** Of what is to be updated in place: machines that may be deleted meanwhile, for they do not join. */
  comingUp: ComingUp | null
}

/** What a decision would do: sentences and the exact calls. */
export async function previewDecision(ctx: Ctx, input: unknown): Promise<DecisionPreview> {
  requirePermission(ctx, 'fleet:read')
  const { changeId, mode } = parseInput(PreviewInput, input)
  const change = await db().change.findUnique({ where: { id: changeId } })
  if (!change) throw new ServiceError('not-found', 'There is no such change.')
  const outlook = outlookIn(change)
  const outcome = mode === 'in-place' ? outlook.inPlace : outlook.replace
  if (!outcome) throw new ServiceError('invalid', notInPlaceWords(outlook.whyNotInPlace))
  await requireNotRemembered({ mode }, change)
  const ahead = mode === 'reject' ? [] : await aheadOfPlane(db(), change)
  const trouble = mode === 'reject' ? undefined : (await poolTroubles([change])).get(change.groupId)
  const risks = [...(await planeRisks(db(), change, mode)), ...ahead, ...(trouble ? [trouble.words] : [])]
  const group = await db().group.findUnique({
    where: { id: change.groupId },
    select: { apiVersion: true, governed: true, cluster: { select: { gateState: true, discovery: true } } },
  })
  if (!group) throw new ServiceError('not-found', `${change.groupKind} ${change.groupName} no longer exists.`)
  const resource = groupResource(change.groupKind, group.apiVersion)
  const target = `${change.groupKind} ${namedIn(change.namespace, change.groupName)}`
  let object
  try {
    const client = await kubeClientFor(change.clusterId)
    object = await client.get(resource, change.groupName, change.namespace)
  } catch (error) {
    const failure = failureOf(error, target)
    const code = failure.code === null ? 'unavailable' : failure.code === 404 ? 'not-found' : 'refused'
    const sentence =
      failure.code === null ? 'The cluster does not answer, so nothing can be decided now.' : failure.sentence
    throw new ServiceError(code, sentence, { ...(failure.answer ? { answer: failure.answer } : {}) })
  }
  const decided = { id: '(the id of the decision)', mode, actorName: ctx.actor.name, reason: null }
  const controlPlane = change.groupKind === 'KubeadmControlPlane'
  const atHook = change.heldBy === 'hook'
  const asItWillBe = atHook && group.governed ? latched(object) : object
  return {
    changeId,
    fingerprint: change.fingerprint,
    headline: mode === 'reject' ? rejectedWords(change) : outcome.headline,
    atHook,
    calls: [callFor(resource, object, patchFor(decided, asItWillBe, atHook))],
    irreversible:
      mode === 'reject'
        ? []
        : [
            ...(change.groupKind === POOL
              ? [oneWayWords(outlook.pool?.effect)]
              : irreversible(
                  mode,
                  outcome.deleted,
                  controlPlane,
                  isAsked(group.cluster, change.groupKind),
                  controlPlane && (await hasMembers(db(), change)),
                )),
            ...(outcome.deleted > 0 ? drainWords(await limitOf(change)) : []),
            ...(atHook && controlPlane ? [ONE_WAY] : []),
          ],
    needsTypedName: nameToType(change, mode, risks),
    risks,
    comingUp: mode === 'in-place' ? await comingUp(change) : null,
  }
}

async function limitOf(change: Change): Promise<number[]> {
  // Where policies cannot be read, nothing of it goes.
  const [rules = null] = await rulesForAll(db(), [change]).catch(orNothing)
  return [...(await drainLimits([{ change, rules }])).values()]
}

function orNothing(error: unknown): [] {
  if (error instanceof ServiceError) return []
  throw error
}

export const ONE_WAY =
  'Once it has begun, the Cluster takes no other version before this one is through in all its groups.'

/** What becomes of a change that is rejected; held in the middle, what has begun is told apart. */
export function rejectedWords(change: Pick<Change, 'groupName' | 'heldBy' | 'outlook'>): string {
  const { groupName: name, heldBy } = change
  const { before } = outlookIn(change)
  const out = before?.outOfService ?? 0
  if (before)
    return `What has begun goes on to its end, and what is through stays so; the rest of ${name} stays as it is, paused and marked as rejected.${out > 0 ? ` ${outOfServiceWords(out)}.` : ''}`
  return heldBy === 'hook'
    ? `${name} stays as it is, and is not paused. Cluster API is told so when it asks; should the group get the version all the same, it is paused and marked as rejected then.`
    : `${name} stays as it is, paused and marked as rejected.`
}

/** What the latch makes of the write that hands the version down. */
const latched = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { [PAUSED]: PAUSED_BY_DRYDOCK, ...object.metadata.annotations, [HELD]: WAITING },
  },
})

/** Cluster API asks the gate about machine sets of this kind, as far as is known. */
export function isAsked({ gateState, discovery }: { gateState: string; discovery: unknown }, kind: string): boolean {
  const gates = (discovery as Capabilities | null)?.gates
  const off = gates && gatesFor(gates, kind).some(({ state, rolling }) => state === 'off' && !rolling)
  return gateState === 'registered' && kind === 'MachineDeployment' && !off
}

/**
 * `asked`: what Cluster API was answered, it remembers; where it asks nobody, there is nothing to remember. `members`: of etcd, on the
 * machines of a control plane.
 */
export function irreversible(
  mode: 'in-place' | 'replace',
  deleted: number,
  controlPlane: boolean,
  asked: boolean,
  members: boolean,
): string[] {
  const machines = `${deleted} machine${deleted === 1 ? '' : 's'}`
  return [
    ...(deleted > 0
      ? [`${machines} will be deleted with what lies on ${deleted === 1 ? 'its' : 'their'} local disks.`]
      : []),
    ...(mode === 'in-place'
      ? ['A machine that has begun its in-place update goes on to its end, also when the change is reverted.']
      : !asked
        ? []
        : ['Once Cluster API was answered “replace” for a revision, it does not ask again for 24 hours.']),
    ...(controlPlane && members
      ? [
          mode === 'replace' || deleted > 0
            ? 'etcd members move with the machines; keep a fresh backup of etcd.'
            : 'An etcd member may be away while its machine is updated; keep a fresh backup of etcd.',
        ]
      : []),
  ]
}
