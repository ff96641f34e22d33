import { db } from '@/lib/db/client'
import { isAsked } from '@/lib/domain/changes'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import type { Verdict } from '@/lib/domain/verdict'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { rolloutAfter } from '@/lib/providers/cluster-api/changes'
import { changeSetOf, outlookIn } from '@/lib/services/changes/change-row'
import { holdOf, isHeld } from '@/lib/services/changes/hold-of'
import type { PlanContext, Row } from './common'
import { goOn, type ToGoOn } from './go-on'
import { holdsAgain } from './hold-again'
import { holdsUnreadDate } from './unread-date'
import type { OwnedGroup } from './verdicts'

/**
 * What has to be compared cannot be read, and nothing holds the group: what is known of the change, whose content is still the same, is
 * gone on with. A hold that was taken away is put back, or that it moves is on record; what is under way is followed, and can be stopped.
 * Where nothing is known of it, what is let go by a date is held.
 */
export async function goesOnUnread(
  context: PlanContext,
  group: KubeObject,
  key: OwnedGroup,
  open: Row | null,
  error: unknown,
): Promise<void> {
  if (isHeld(group) || !(error instanceof KubeError)) return
  if (!open) return holdsUnreadDate(context, group, error)
  if (rolloutDigest(group) !== open.digest) return
  const { capabilities, clusterId } = context.view
  const cluster = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { gateState: true } })
  // What the gate alone holds is not let go by that: it is asked all the same.
  const passed = isPast(group)
  const asked =
    (open.heldBy === 'gate' && !passed) ||
    changeSetOf(open).pairs.some((pair) => isAsked(pair) && !(passed && pair.later))
  const hold = holdOf(capabilities, group, cluster?.gateState === 'registered' && asked)
  if (await holdsAgain(context.view, group, open, hold)) return
  await goOn(context, group, key, await keptOf(open, key, passed), hold, open)
}

const isPast = (group: KubeObject): boolean => Date.parse(rolloutAfter(group) ?? '') <= Date.now()

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
