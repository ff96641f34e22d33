import { namedIn } from '@/lib/kubernetes/paths'
import { db, type Tx } from '@/lib/db/client'
import type { Change, Decision } from '@/lib/db/generated/client'
import { json } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { movesNow, summaryOf, versionsOf } from '@/lib/domain/changes'
import { isPool } from '@/lib/domain/latch/hold'
import { HELD, PENDING_BEFORE, SEEN_STORED } from '@/lib/domain/latch/names'
import { wishes } from '@/lib/domain/waves'
import type { KubeObject } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { keepAgainst } from '@/lib/services/changes/against'
import { continuedOf } from '@/lib/services/changes/continued'
import { heldBefore } from '@/lib/services/changes/held-before'
import type { Hold } from '@/lib/services/changes/hold-of'
import { sendEvent } from '@/lib/services/changes/events'
import { wasApproved } from '@/lib/services/changes/let-go'
import { nobodyDecidesAmong } from '@/lib/services/changes/nobody-decides'
import { lockChange } from '@/lib/services/changes/lock-change'
import { rejectedText } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { NEVER_APPROVED, NOBODY } from '@/lib/services/policies/timing'
import type { ClusterView } from '../types'
import { isAsRead } from './as-read'
import { laterOf, owned, SOON_MS, type PlanContext, type Row } from './common'
import { carriedOf, carry, stillPaused, untilHeld, wasTaken } from './carry'
import { end, recordEnd } from './end'
import { asFarAsKnown } from './governed'
import type { Planned } from '@/lib/services/changes/planned'
import { isByDate } from './let-go-with'
import { keepMembers, workloadOf } from './members'
import { asAllowed } from './as-allowed'
import { recordUnheld, STANDS_NOT, standsNotThen, TAKEN, UNASKED } from './record-unheld'
import { rulesOf } from './rules-of'
import { writeVerdicts } from './verdicts'

/** Written once more, or found anew after a disconnect, it is wanted since it was first. */
const WISHED = `
UPDATE change c SET wished_at = before.since FROM change one CROSS JOIN LATERAL (
  SELECT wish, state, settled_at, coalesce(wished_at, detected_at) AS since FROM change WHERE group_id = one.group_id AND id <> one.id
  ORDER BY detected_at DESC, id LIMIT 1) before
WHERE one.id = $1::uuid AND c.id = one.id AND before.wish = one.wish AND before.state = 'superseded' AND before.settled_at IS NULL`

interface Begins {
  hold: Hold
  /** It is what the group was let go with last. */
  again: boolean
  author: string | null
  /** The gate would hold it, and is not asked. */
  unasked?: boolean
}

/** A change that was not there; it takes the place of the one before. */
export async function begin(
  context: PlanContext,
  group: KubeObject,
  planned: Planned,
  { hold, again, author, unasked }: Begins,
  before: Row | null,
): Promise<number> {
  const { view } = context
  const { uid: groupId } = group.metadata
  const { digest } = planned.change
  const same = { clusterId: view.clusterId, groupId, digest }
  // No date stands in a pool.
  const dated = again && !isPool(group)
  const found = dated
    ? await carriedOf(same, { ...planned.changeSet, replicas: planned.change.replicas }, before)
    : null
  // Whoever approved it machine by machine looks at none of them then: its people decide anew.
  const carried = found?.steps ? null : found
  const taken = dated && !found && (await wasTaken(same))
  const approved = again && !taken && (await wasApproved(view.clusterId, groupId, digest))
  // Nothing of it moves yet: it is looked at before its date comes.
  const comes = dated && !planned.changeSet.pairs.some(movesNow)
  const unapproved = dated && !taken && !approved && planned.changeSet.pairs.every(isByDate)
  const { from, to } = versionsOf(planned.changeSet.fields)
  const created = await db().$transaction(async (tx) => {
    await owned(tx, view)
    if (before && carried) {
      await lockChange(tx, before.id)
      if (!(await isAsRead(tx, before))) return null
    }
    const paused = hold === 'none' || isPool(group) ? null : await stillPaused(tx, same)
    if (before) await end(tx, view, before, 'superseded')
    const now = await databaseNow(tx)
    // As before a disconnect: what a person keeps back, or rejected, stays so, and who let it go is not forgotten.
    const { pairs } = planned.changeSet
    const continued = before === null ? await continuedOf(tx, { ...same, pairs }, now) : null
    // A rejection holds by Drydock's own hold: where somebody took that away, it waits for people as if nobody had decided.
    const was = continued?.rejected ?? null
    const rejected = hold === 'latch' || hold === 'hook' ? was : null
    const state =
      hold === 'none' ? (carried && comes && !continued ? 'approved' : 'running') : rejected ? 'rejected' : 'waiting'
    // Nothing holds what nobody governs.
    const governed = hold !== 'none' || (await asFarAsKnown(tx, view, group, continued))
    const mayCarry = governed && dated && !continued
    const lost = mayCarry && approved ? await untilHeld(tx, same, before, found, now) : null
    const until = mayCarry && unapproved ? { ...NOBODYS, pausedAt: now } : lost
    const row = await tx.change.create({
      data: {
        clusterId: view.clusterId,
        groupId,
        groupKind: group.kind,
        namespace: group.metadata.namespace ?? '',
        groupName: group.metadata.name,
        workloadCluster: workloadOf(view, group),
        fingerprint: planned.change.fingerprint,
        digest: planned.change.digest,
        state,
        summary: planned.summary ?? summaryOf(planned.changeSet),
        ...wishes(planned.changeSet),
        fromVersion: from,
        toVersion: to,
        changeSet: json(planned.changeSet),
        outlook: json(planned.outlook),
        heldBy: hold,
        resourceVersion: group.metadata.resourceVersion,
        machines: planned.changeSet.pairs.reduce((sum, pair) => sum + pair.machines, 0),
        author,
        firstSeen: before === null && (continued !== null || wasStored(group)),
        detectedAt: now,
        startedAt: state === 'running' && (continued !== null || !comes) ? now : null,
        ...{ ...(continued ? continued.paused : paused), ...(governed ? continued?.stopped : null) },
        // What is held already waits for people.
        ...(governed && hold === 'none' ? continued?.untilHeld : null),
        ...until,
        ...(governed && !continued ? carried?.override : null),
      },
    })
    await tx.$executeRawUnsafe(WISHED, row.id)
    if (was) await keepRejection(tx, row, was, rejected ? 'seen' : 'voided')
    if (continued) await keepAgainst(tx, continued.from.id, row.id)
    // Kept, for nobody can tell once it is let go.
    if (await heldBefore(tx, row.id)) await tx.change.update({ where: { id: row.id }, data: { firstSeen: true } })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [row.id] })
    if (before) await recordEnd(tx, view, before, 'superseded')
    const stands = comes && until ? standsNotThen(until) : dated && approved ? STANDS_NOT : null
    if (hold !== 'none') await recordWaiting(tx, view, row, was, rejected !== null)
    else if (unasked) await recordUnheld(tx, view, row, continued, UNASKED)
    // What is kept of what it was let go with is younger than its cluster's connection.
    else if (governed && (continued || !(dated ? carried : approved)))
      await recordUnheld(tx, view, row, continued, taken ? TAKEN : stands)
    else if (governed && carried) await carry(tx, view, row, carried)
    return row
  })
  if (!created) return SOON_MS
  await writeVerdicts(
    {
      ...{ clusterId: view.clusterId, fence: view.fence, kind: group.kind },
      ...{ namespace: created.namespace, name: created.groupName },
    },
    await asAllowed({ ...created, heldBy: hold }, planned),
  )
  if (hold !== 'none') await keepMembers(context.view, created, group)
  if (hold === 'latch' || hold === 'hook')
    await sendEvent(view.client, group, 'DrydockHeld', `${created.summary} ${await waitsIn(created)}`)
  return hold === 'none' ? SOON_MS : laterOf(view.clusterId, group.kind)
}

/** Whether it goes by itself may not be known by then: that is said only where somebody is asked. */
async function waitsIn(change: Change): Promise<string> {
  const [rules] = await rulesOf([change])
  const asksNobody = !(rules instanceof ServiceError) && rules!.approvals.value === 0
  return asksNobody ? 'is held by Drydock: its policy asks for no approval.' : 'waits for approval in Drydock.'
}

const decided = (rejected: Decision) => ({ ...rejected, mode: 'reject' as const })

/**
 * Who rejected it, when and why: it is the same word. What holds it is there, and so is seen (it names the decision of before), or
 * was taken away: then it is on record that somebody said no.
 */
async function keepRejection(
  tx: Tx,
  { id: changeId, fingerprint }: Change,
  rejected: Decision,
  state: 'seen' | 'voided',
): Promise<void> {
  const { mode, actorId, actorName, reason, recordedAt, sentAt, acceptedAt, seenAt } = rejected
  const when = { recordedAt, sentAt, acceptedAt, seenAt: seenAt ?? new Date() }
  await tx.decision.create({
    data: { changeId, fingerprint, mode, actorId, actorName, reason, state, ...when },
  })
}

/** By the words of its hold, it was stored before anybody saw it. */
function wasStored({ metadata }: KubeObject): boolean {
  const words = metadata.annotations?.[HELD]
  return words === SEEN_STORED || words === PENDING_BEFORE
}

/** Who wrote what waits here, as the object says: the one who decides is somebody else. */
async function recordWaiting(
  tx: Tx,
  view: ClusterView,
  change: Change,
  rejected: Decision | null,
  stays: boolean,
): Promise<void> {
  const known = change.author && change.author !== 'unknown'
  const words = [
    ...(known ? [`Written by ${change.author}.`] : []),
    ...(rejected
      ? [
          `It was ${rejectedText(decided(rejected))}, before its cluster was disconnected, ${stays ? 'and stays so' : 'and its hold was taken away since: it is to be decided anew'}.`,
        ]
      : []),
  ]
  const asksNobody = (await nobodyDecidesAmong(tx, [change])).has(change.id)
  await recordAudit(tx, systemCtx('planner'), {
    action: 'change.waits',
    target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
    cluster: { id: view.clusterId, name: view.name },
    reason: words.join(' ') || null,
    details: { summary: change.summary, heldBy: change.heldBy, ...(asksNobody && { asksNobody }) },
  })
}

/** Its date was there when it came to be governed. */
const NOBODYS = { pausedBy: NOBODY, pausedReason: NEVER_APPROVED, pausedUntilHeld: true }
