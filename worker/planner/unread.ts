import { db } from '@/lib/db/client'
import { isAsked } from '@/lib/domain/changes'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { STOPPED } from '@/lib/domain/latch/names'
import type { Verdict } from '@/lib/domain/verdict'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { hasCome, rolloutAfter } from '@/lib/providers/cluster-api/changes'
import { changeSetOf, outlookIn } from '@/lib/services/changes/change-row'
import { holdOf, isHeld } from '@/lib/services/changes/hold-of'
import { awaitsWatch, letGoOf } from '@/lib/services/changes/let-go'
import { differsUnheld } from '@/lib/services/changes/let-go-outside'
import { groupResource } from '@/lib/services/changes/patch-for'
import { UNDER_WAY } from '@/lib/services/changes/states'
import { bearsLetGo } from './adopt'
import type { PlanContext, Row } from './common'
import { holdsEditedUnread } from './edited'
import { goOn, type ToGoOn } from './go-on'
import { waitsForNamespaces } from './governed'
import { putOnHold } from './hold'
import { knownWithin } from './midway'
import { holdsAgain } from './hold-again'
import { NOBODY_LET_GO } from './stop'
import { holdsUnreadDate } from './unread-date'
import type { OwnedGroup } from './verdicts'

/**
 * What has to be compared cannot be read, and nothing holds the group: what is known of the change, whose content is still the same, is
 * gone on with. A hold that was taken away is put back, or that it moves is on record; what is under way is followed, and can be stopped.
 * What nobody let go is held, and so is what moves by a date.
 */
export async function goesOnUnread(
  context: PlanContext,
  group: KubeObject,
  key: OwnedGroup,
  open: Row | null,
  error: unknown,
): Promise<void> {
  if (!(error instanceof KubeError || error instanceof KubeUnreachable)) return
  if (isHeld(group)) return void (await heldUnread(context, group, key, open))
  if (await holdsUnread(context, group, open, error)) return
  if (!open || rolloutDigest(group) !== open.digest || error instanceof KubeUnreachable) return
  const { capabilities, clusterId } = context.view
  const cluster = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { gateState: true } })
  // What the gate alone holds is not let go by that: it is asked all the same.
  const passed = isPast(group)
  const asked =
    (open.heldBy === 'gate' && !passed) ||
    changeSetOf(open).pairs.some((pair) => isAsked(pair) && !(passed && pair.later))
  const hold = holdOf(capabilities, group, cluster?.gateState === 'registered' && asked)
  if (await holdsAgain(context.view, group, open, hold)) return
  if ((await holdsEditedUnread(context.view, open, group, context.source)) === 'held') return
  await goOn(context, group, key, await keptOf(open, key, passed), hold, open)
}

/** Held in the middle, it waits, and for whom, also while nothing can be compared. Null: it waits already, or it is not known. */
export async function heldUnread(
  context: PlanContext,
  group: KubeObject,
  key: OwnedGroup,
  open: Row | null,
): Promise<number | null> {
  if (!open || !UNDER_WAY.includes(open.state) || rolloutDigest(group) !== open.digest) return null
  return goOn(context, group, key, await keptOf(open, key, isPast(group)), 'latch', open)
}

/** What nobody let go is held by itself, as it would be if it could be compared; so is what a date moves that was let go. */
async function holdsUnread(
  context: PlanContext,
  group: KubeObject,
  open: Row | null,
  error: KubeError | KubeUnreachable,
): Promise<boolean> {
  const { view } = context
  const { uid, name, namespace } = group.metadata
  const digest = rolloutDigest(group) ?? ''
  const isOther = open?.digest !== digest && !(await awaitsWatch(view.clusterId, group, digest))
  if (!isOther || !(await differsUnheld(uid, digest)) || (await waitsForNamespaces(view)))
    return holdsUnreadDate(context, group, open, error)
  const live = await view.client.get(groupResource(group.kind, group.apiVersion), name, namespace)
  // The watch may be late.
  if (live.metadata.uid !== uid || rolloutDigest({ ...live, kind: group.kind }) !== digest) return true
  if (isHeld(live) || (await bearsLetGo(view.clusterId, live, { digest }))) return true
  if (await isLetGoElse(view, group)) return holdsUnreadDate(context, group, open, error, true)
  const words = `${STOPPED}${NOBODY_LET_GO.neverHeld}; what it changes cannot be compared: ${error.message}`
  return (await putOnHold(view, { ...live, kind: group.kind }, words)) !== false
}

/**
 * Of two versions of the API nobody can compare the digests: by the other one it is what it was let go with. Where that cannot be read,
 * it is not.
 */
function isLetGoElse({ client, clusterId }: PlanContext['view'], { apiVersion: now, kind, metadata }: KubeObject) {
  const { uid, name, namespace } = metadata
  const [api = '', version] = now.split('/')
  const apiVersion = `${api}/${version === 'v1beta1' ? 'v1beta2' : 'v1beta1'}`
  return knownWithin(async () => {
    const other = await client.get(groupResource(kind, apiVersion), name, namespace)
    return (await letGoOf(clusterId, uid)) === rolloutDigest({ ...other, kind, apiVersion })
  })
}

const isPast = (group: KubeObject): boolean => hasCome(rolloutAfter(group) ?? '')

/** As it was planned when it could be read; of each machine what is told of it. */
async function keptOf(open: Row, { clusterId, kind, namespace, name }: OwnedGroup, passed: boolean): Promise<ToGoOn> {
  const machines = await db().machine.findMany({
    where: { clusterId, groupKind: kind, namespace, groupName: name },
    select: { name: true, machineSet: true, verdict: true, verdictReason: true },
  })
  const told = new Map(
    machines.flatMap(({ name: machine, machineSet, verdict, verdictReason }) => {
      const from = kind === 'MachineDeployment' ? machineSet : machine
      return from ? [[from, { verdict: verdict as Verdict, reason: verdictReason ?? '' }] as const] : []
    }),
  )
  const kept = changeSetOf(open)
  // Its date may have come meanwhile.
  const changeSet = passed ? { ...kept, pairs: kept.pairs.map(({ later: _, ...pair }) => pair) } : kept
  const verdicts = new Map(
    changeSet.pairs.map(({ from }) => [from, told.get(from) ?? { verdict: 'unknown' as const, reason: '' }]),
  )
  return { change: { fingerprint: open.fingerprint }, changeSet, outlook: outlookIn(open), verdicts }
}
