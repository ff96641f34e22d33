import { setTimeout } from 'node:timers/promises'
import { batched } from '@/lib/db/batched'
import { db, gatePool } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import type { Change, Decision } from '@/lib/db/generated/client'
import type { Times } from '@/lib/domain/policies'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { COUNTED, isCounted } from '@/lib/services/changes/counted'
import { OPEN } from '@/lib/services/changes/states'
import { policiesBy, POLICIES_WORD } from '@/lib/services/policies/read-policies'
import { rulesFor, timesBy, type Governed } from '@/lib/services/policies/rules-for'
import { ServiceError } from '@/lib/services/errors'
import { closedWords, isHalted, saysTimes, timingOf, type Timed } from '@/lib/services/policies/timing'
import { byQuestion } from './by-question'
import { Hold } from './constants'
import type { Subject } from './subject'

/**
 * States in which a decision speaks: once its release is known to be stored. Before that the object may be another one by
 * now, or the managers may not ask at all; and what they are told they remember, whatever becomes of the decision.
 */
export const IN_FORCE = ['accepted', 'seen']

type Asked = Pick<Change, 'id' | 'changeSet' | 'steps' | keyof Governed | keyof Timed> & {
  /** When it was read, by the database's clock; absent: it is not known. */
  now?: Date
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
  now: Date
  decision: Speaking | null
}

/**
 * Open changes of groups, newest first, each with its newest decision that speaks. What comes while others are looked up is looked
 * up together, what is stored when it is. Named: Postgres plans it once per connection.
 */
const LOOK = {
  name: 'gate look',
  text: `SELECT asked.n, clock_timestamp() AS now, c.id, c.change_set AS "changeSet", c.cluster_id AS "clusterId", c.group_kind AS "groupKind", c.namespace,
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
  if (decision.expiresAt && decision.expiresAt < change.now) throw new Hold('the approval has expired', withChange)
  // One whose release is on its way may be newer than that.
  if (decision.state !== 'applying' && isCounted(change, decision)) throw new Hold(COUNTED, withChange)
  return { change, decision }
}

/** The second line behind the latch: nothing begins outside its windows, or in a freeze. */
export async function requireInTime(change: Asked, about: Hold['about']): Promise<void> {
  const timing = await timingNow(change)
  if (timing && !timing.open) throw new Hold(closedWords(timing), about)
}

/** Of the change by which the group goes now, while it has machines that have not begun. */
export async function isPastTime(subject: Subject): Promise<boolean> {
  const change = (await openChanges(subject)).find(({ decision }) => decision && IN_FORCE.includes(decision.state))
  if (!change || change.settling || change.decision?.mode !== 'in-place') return false
  const timing = await timingNow(change)
  return timing !== null && !timing.open
}

async function timingNow(change: Asked) {
  const times = isHalted(change) ? {} : await rulesOf(change)
  return times && timingOf(times, change, change.now ?? (await databaseNow(db())))
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
