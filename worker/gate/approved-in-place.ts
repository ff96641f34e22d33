import { db } from '@/lib/db/client'
import type { Decision } from '@/lib/db/generated/client'
import { SENT } from '@/lib/services/changes/answered'
import { pairsApproved, type ApprovedPair } from '@/lib/services/changes/approved-pairs'
import { LETS_GO } from '@/lib/services/changes/states'
import { snapshotOf } from '@/lib/services/policies/snapshot'
import { beganBefore, latelyWanted } from './began-before'
import { IN_FORCE } from './decisions'
import type { Subject } from './subject'

/** Of a change: older ones let nothing go any more that anybody waits for. */
const MOST_DECISIONS = 50

export interface Approved {
  /** Of the change. */
  id: string
  /** What each decision of it approved, the newest first. */
  approved: (readonly ApprovedPair[])[]
  /** The change with which the machine is on record as in the middle: a newer one, where this one was superseded before it began. */
  begunIn: string
}

/**
 * Changes of a group that were approved in place, newest first, with what was approved of them: also those that a newer one
 * superseded, and whatever is left of one that is held again, because a machine that has begun goes on to its end: for one that had not
 * when a decision was made that is in force now, of whichever change, what was decided before does not count, unless it can have been
 * marked before that only; nor, for one that has not begun since, what somebody took their approval back of.
 */
export async function approvedInPlace(subject: Subject): Promise<Approved[]> {
  const approved = { mode: 'in-place', OR: [{ state: { in: IN_FORCE } }, SENT] }
  const { clusterId, groupId, namespace } = subject
  const of = { clusterId, groupId }
  const [changes, newest, machine] = await Promise.all([
    db().change.findMany({
      where: { ...of, decisions: { some: approved } },
      orderBy: { detectedAt: 'desc' },
      take: 10,
      select: {
        ...{ id: true, changeSet: true, detectedAt: true },
        decisions: {
          where: approved,
          orderBy: { recordedAt: 'desc' },
          take: MOST_DECISIONS,
          select: { recordedAt: true, pairs: true, policy: true },
        },
        approvals: { where: { endedWhy: 'withdrawn' }, select: { actorId: true, endedAt: true } },
      },
    }),
    db().decision.findFirst({
      where: { change: of, ...LETS_GO },
      orderBy: { recordedAt: 'desc' },
      select: { recordedAt: true, mode: true, changeId: true },
    }),
    db().machine.findFirst({
      where: { clusterId, namespace, name: subject.machine ?? '' },
      select: { id: true, updating: true, state: true },
    }),
  ])
  const begun = machine ? await begunOf(machine.id, of) : []
  const isMarked = machine !== null && (machine.updating || machine.state === 'updating')
  const isTakenBack = changes.some(({ approvals }) => approvals.length > 0)
  // Cluster API marks a machine itself, after our yes, and none while its group is held: one that is marked had begun before that, though it
  // may not be on record. In a group that is not held it may have begun since, by a yes that Cluster API remembers; and so it may in the
  // moment before it is held where a watch, and no admission, holds it: that one goes on to its end, too.
  const isBegunWhileHeld = isTakenBack && isMarked && (await isHeldNow(subject))
  const inForce = newest?.recordedAt
  // What failed in a change that was superseded stays so on record: where it began since, it is in the middle of nothing else.
  const at = begun[0]?.finishedAt === null ? begun[0] : null
  const isUnclear = isMarked && newest?.mode === 'in-place' && at?.changeId !== newest.changeId
  const lately = isUnclear ? await latelyWanted(of, newest.changeId) : []
  return changes.map(({ id, detectedAt, decisions, approvals, ...change }) => {
    const counts = decisions.filter((decision) => {
      const { recordedAt } = decision
      // Of whichever change it is in the middle: what goes on over a disconnect is another one by then, that nobody approved in place.
      const since = begun.filter((row) => row.changeId === id || (row === at && row.startedAt! >= recordedAt))
      const stands = !wasTakenBack(decision, approvals)
      // What was taken back before is said of nothing that begins under another word.
      if (inForce && recordedAt < inForce)
        return (
          since.some(({ startedAt }) => startedAt! < inForce) ||
          (stands && beganBefore(lately, id, pairsApproved(decision, change)))
        )
      return since.length > 0 || isBegunWhileHeld || stands
    })
    const begunIn = at && at.change.detectedAt > detectedAt ? at.changeId : id
    return { id, begunIn, approved: counts.map((decision) => pairsApproved(decision, change)) }
  })
}

/** Where a machine is on record as begun, the newest first. By its id: a group's record is long, and this is asked for every question. */
const begunOf = (machineId: string, change: Pick<Subject, 'clusterId' | 'groupId'>) =>
  db().machineProgress.findMany({
    where: { machineId, change, startedAt: { not: null } },
    orderBy: { startedAt: 'desc' },
    select: { changeId: true, startedAt: true, finishedAt: true, change: { select: { detectedAt: true } } },
  })

const isHeldNow = async ({ clusterId, groupId: id }: Subject): Promise<boolean> =>
  (await db().group.findFirst({ where: { id, clusterId, held: { not: null } }, select: { id: true } })) !== null

/** Somebody by whose approval it was let go took theirs back since. */
const wasTakenBack = (
  decision: Pick<Decision, 'recordedAt' | 'policy'>,
  withdrawn: readonly { actorId: string; endedAt: Date | null }[],
): boolean =>
  withdrawn.some(
    ({ actorId, endedAt }) =>
      endedAt !== null &&
      endedAt >= decision.recordedAt &&
      (snapshotOf(decision)?.approvals.some((one) => one.actorId === actorId) ?? true),
  )
