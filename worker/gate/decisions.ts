import { setTimeout } from 'node:timers/promises'
import { batched } from '@/lib/db/batched'
import { db, gatePool } from '@/lib/db/client'
import type { Change, Decision } from '@/lib/db/generated/client'
import type { Times } from '@/lib/domain/policies'
import { SENT } from '@/lib/services/changes/answered'
import { pairsApproved, type ApprovedPair } from '@/lib/services/changes/approved-pairs'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { COUNTED, isCounted } from '@/lib/services/changes/counted'
import { OPEN } from '@/lib/services/changes/states'
import { policiesBy, POLICIES_WORD } from '@/lib/services/policies/read-policies'
import { rulesFor, timesBy, type Governed } from '@/lib/services/policies/rules-for'
import { snapshotOf } from '@/lib/services/policies/snapshot'
import { ServiceError } from '@/lib/services/errors'
import { closedWords, isHalted, saysTimes, timingOf, type Timed } from '@/lib/services/policies/timing'
import { byQuestion } from './by-question'
import { Hold } from './constants'
import type { Subject } from './subject'

/**
 * States in which a decision speaks: once its release is known to be stored. Before that the object may be another one by
 * now, or the managers may not ask at all; and what they are told they remember, whatever becomes of the decision.
 */
const IN_FORCE = ['accepted', 'seen']

type Asked = Pick<Change, 'id' | 'changeSet' | 'steps' | keyof Governed | keyof Timed> & {
  /** Read in the same moment; absent: it is not known. */
  seen?: {
    /** What all policies say, as one word; null: there is none. */
    policies: string | null
    cluster: string
    /** Of its workload cluster; null: they are not known. */
    labels: Record<string, string> | null
  }
}

type Speaking = Pick<
  Decision,
  'id' | 'mode' | 'state' | 'actorName' | 'expiresAt' | 'sentAt' | 'acceptedAt' | 'recordedAt'
> & {
  /** What it approved in place. */
  pairs: Decision['pairs']
}

export interface Decided {
  change: Asked
  decision: Speaking
}

interface Row extends Asked, Pick<Change, 'settling' | 'countedDoneAt'> {
  decision: Speaking | null
}

/**
 * Open changes of groups, newest first, each with its newest decision that speaks. What comes while others are looked up is looked
 * up together, what is stored when it is. Named: Postgres plans it once per connection.
 */
const LOOK = {
  name: 'gate look',
  text: `SELECT asked.n, c.id, c.change_set AS "changeSet", c.cluster_id AS "clusterId", c.group_kind AS "groupKind", c.namespace,
    c.group_name AS "groupName", c.workload_cluster AS "workloadCluster", c.override_at AS "overrideAt", c.paused_by AS "pausedBy",
    c.paused_reason AS "pausedReason", c.paused_at AS "pausedAt", c.stopped_by AS "stoppedBy", c.stopped_why AS "stoppedWhy",
    c.stopped_at AS "stoppedAt", c.wave, c.steps, c.step_waits_at AS "stepWaitsAt", c.steps_done AS "stepsDone",
    c.machines, c.settling, c.counted_done_at AS "countedDoneAt", json_build_object('cluster', m.name, 'labels', w.labels,
      'policies', CASE WHEN EXISTS (SELECT 1 FROM rollout_policy) THEN (${POLICIES_WORD}) END) AS seen, d.id AS "decisionId", d.mode, d.state, d.actor_name AS "actorName",
    d.expires_at AS "expiresAt", d.sent_at AS "sentAt", d.accepted_at AS "acceptedAt", d.recorded_at AS "recordedAt",
    CASE WHEN d.mode = 'in-place' THEN d.pairs END AS pairs
  FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS asked (cluster_id, group_id, n)
  JOIN change c ON c.cluster_id = asked.cluster_id AND c.group_id = asked.group_id AND c.state = ANY($4)
  JOIN management_cluster m ON m.id = c.cluster_id
  LEFT JOIN workload_cluster w ON w.cluster_id = c.cluster_id AND w.namespace = c.namespace AND w.name = c.workload_cluster
  LEFT JOIN LATERAL (
    SELECT * FROM decision WHERE change_id = c.id AND state = ANY($3) ORDER BY recorded_at DESC LIMIT 1
  ) d ON true
  ORDER BY asked.n, c.detected_at DESC`,
}

type Looked = Omit<Row, 'decision'> & Speaking & { n: string; decisionId: string | null }

const openChanges = batched<Subject, Row[]>(async (asked) => {
  const [clusters, groups] = [asked.map(({ clusterId }) => clusterId), asked.map(({ groupId }) => groupId)]
  const values = [clusters, groups, [...IN_FORCE, 'applying'], OPEN]
  const { rows } = await gatePool().query<Looked>({ ...LOOK, values })
  return byQuestion(asked, rows).map((found) => found.map(rowOf))
})

const rowOf = ({
  decisionId: id,
  mode,
  state,
  actorName,
  expiresAt,
  sentAt,
  acceptedAt,
  recordedAt,
  pairs,
  ...change
}: Looked): Row => ({
  ...change,
  decision: id === null ? null : { id, mode, state, actorName, expiresAt, sentAt, acceptedAt, recordedAt, pairs },
})

/** The release makes the managers ask at once, and whoever is told to wait comes back in minutes: it is known in moments. */
const KNOWN_MS = 3_000

/**
 * The live decision for exactly this change of this group of this connection; everything else holds, with a short fixed
 * reason.
 */
export async function decidedFor(subject: Subject, fingerprint: string): Promise<Decided> {
  for (const until = Date.now() + KNOWN_MS; ; await setTimeout(100)) {
    const decided = await look(subject, fingerprint)
    if (decided.decision.state !== 'applying') return decided
    const { change, decision } = decided
    if (decision.sentAt && Date.now() < until) continue
    const about = { changeId: change.id, group: `${subject.namespace}/${subject.name}`, machine: subject.machine }
    throw new Hold('its release is not known to be stored yet', about)
  }
}

async function look(subject: Subject, fingerprint: string): Promise<Decided> {
  const about = { group: `${subject.namespace}/${subject.name}`, machine: subject.machine }
  const changes = await openChanges(subject)
  const change = changes.find((row) => changeSetOf(row).pairs.some((pair) => pair.fingerprint === fingerprint))
  if (!change)
    throw new Hold('this change has not been seen by Drydock yet, or is another one than was approved', about)
  const withChange = { ...about, changeId: change.id }
  const { decision } = change
  if (!decision) throw new Hold('waiting for approval', withChange)
  if (decision.mode === 'reject') throw new Hold('rejected', withChange)
  if (decision.expiresAt && decision.expiresAt < new Date()) throw new Hold('the approval has expired', withChange)
  // One whose release is on its way may be newer than that.
  if (decision.state !== 'applying' && isCounted(change, decision)) throw new Hold(COUNTED, withChange)
  return { change, decision }
}

/** The second line behind the latch: nothing begins outside its windows, or in a freeze. */
export async function requireInTime(change: Asked, about: Hold['about']): Promise<void> {
  const times = isHalted(change) ? {} : await rulesOf(change)
  if (!times) return
  const timing = timingOf(times, change)
  if (!timing.open) throw new Hold(closedWords(timing), about)
}

/**
 * By the policies that are stored, which are parsed anew only where they say something else than before; null: none of them has windows,
 * freezes or waves, as mostly. Throws where one cannot be read: it may say anything.
 */
async function rulesOf({ seen, ...change }: Asked): Promise<Times | null> {
  if (!seen) return rulesFor(db(), change)
  const { policies: word, cluster, labels } = seen
  const policies = word === null ? [] : await policiesBy(db(), word)
  if (!policies.some(({ spec }) => saysTimes(spec))) return null
  const { groupKind: kind, groupName: name, namespace, workloadCluster } = change
  const times = timesBy(policies, { cluster, workloadCluster, namespace, kind, name, labels })
  if (times instanceof ServiceError) throw times
  return times
}

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
 * when a decision was made that is in force now, of whichever change, what was decided before does not count; nor, for one that has not
 * begun since, what somebody took their approval back of.
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
      where: { change: of, mode: { not: 'reject' }, state: { in: IN_FORCE } },
      orderBy: { recordedAt: 'desc' },
      select: { recordedAt: true },
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
  return changes.map(({ id, detectedAt, decisions, approvals, ...change }) => {
    const counts = decisions.filter((decision) => {
      const { recordedAt } = decision
      // Of whichever change it is in the middle: what goes on over a disconnect is another one by then, that nobody approved in place.
      const since = begun.filter((row) => row.changeId === id || (row === at && row.startedAt! >= recordedAt))
      // What was taken back before is said of nothing that begins under another word.
      if (inForce && recordedAt < inForce) return since.some(({ startedAt }) => startedAt! < inForce)
      return since.length > 0 || isBegunWhileHeld || !wasTakenBack(decision, approvals)
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
