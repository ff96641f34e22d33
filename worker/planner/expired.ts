import { namedIn } from '@/lib/kubernetes/paths'
import { db, pool } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { POOL } from '@/lib/domain/latch/hold'
import { authorship, type Approval, type Resolved } from '@/lib/domain/policies'
import { recordAudit } from '@/lib/services/audit/record'
import { approvalsWhere } from '@/lib/services/changes/approvals'
import { atOnceIn, countsNoMore } from '@/lib/services/changes/counts-no-more'
import { tryLockChange } from '@/lib/services/changes/lock-change'
import { begunSql, LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'
import { begunBy } from '@/lib/services/changes/take-back'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { announce } from '@/lib/db/notify'
import { authorOf, authorsOf } from '@/lib/services/policies/author'
import { rulesFor, type Governed } from '@/lib/services/policies/rules-for'
import { snapshotOf } from '@/lib/services/policies/snapshot'
import { EXPIRED, ITS_APPROVAL, SHOWED_FEWER } from '@/lib/services/policies/timing'
import { POOL_RESOURCES } from '../pools/objects'
import type { ClusterView } from '../types'
import { owned } from './common'
import { rulesOf } from './rules-of'

/** Let go by people, under somebody's own pause of the group or of its Cluster, so that nothing began by what they said. */
const STILL_THERE = `
SELECT c.id::text, c.author, d.id::text AS "decisionId", d.mode, d.policy, c.cluster_id::text AS "clusterId", c.group_kind AS "groupKind",
  c.namespace, c.group_name AS "groupName", c.workload_cluster AS "workloadCluster"
FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
LEFT JOIN workload_cluster w ON w.cluster_id = c.cluster_id AND w.namespace = c.namespace AND w.name = c.workload_cluster
JOIN LATERAL (SELECT id, mode, policy FROM decision WHERE change_id = c.id AND mode <> 'reject' AND state IN ('accepted', 'seen')
  ORDER BY recorded_at DESC LIMIT 1) d ON true
WHERE c.cluster_id = $1 AND c.state = ANY($2) AND c.paused_at IS NULL AND (g.paused OR w.paused) AND g.held IS NULL
  AND EXISTS (SELECT 1 FROM approval WHERE decision_id = d.id AND ended_at IS NULL)
  AND NOT ${begunSql('c.id', 'd.id')}`

type Candidate = Governed & {
  id: string
  author: string | null
  decisionId: string
  mode: Approval['mode']
  policy: unknown
}

/** Of many that expire in one moment: others need the database as well. */
const AT_ONCE = 3

/**
 * What expired before anything began, or showed fewer nodes of a pool at once than go by now, is paused until it is held again, and waits
 * for people: it would begin whenever that pause is taken away. All are looked at together, for mostly none has expired. Whom somebody else has locked is tried in the next round.
 */
export async function expireUnbegun(view: ClusterView, stopped = () => false): Promise<void> {
  const { rows } = await pool().query<Candidate>(STILL_THERE, [view.clusterId, UNDER_WAY])
  if (rows.length === 0) return
  const left = (await seemExpired(view, rows)).values()
  const failed: unknown[] = []
  const lane = async (): Promise<void> => {
    for (const { id } of left) {
      if (stopped()) return
      await expireOne(view, id).catch((error: unknown) => failed.push(error))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  if (failed.length > 0)
    throw new AggregateError(failed, `whether approvals still count could not be found: ${String(failed[0])}`)
}

/** Those that are worth a transaction, in which everything is asked again. */
async function seemExpired(view: ClusterView, rows: readonly Candidate[]): Promise<Candidate[]> {
  const [rules, authors, approvals] = [
    await rulesOf(rows),
    await authorsOf(
      db(),
      rows.map(({ author }) => author),
    ),
    await approvalsWhere(db(), { decisionId: { in: rows.map(({ decisionId }) => decisionId) } }),
  ]
  const now = await databaseNow(db())
  const given = new Map<string | null, typeof approvals>(rows.map(({ decisionId }) => [decisionId, []]))
  for (const one of approvals) given.get(one.decisionId)?.push(one)
  return rows.filter((row, i) => {
    const [of, author] = [known(rules[i]!, row), authors.get(row.author) ?? authorship(null, [])]
    if (!of) return false
    const letGo = { given: given.get(row.decisionId) ?? [], mode: row.mode, rules: of, author, pool: poolOf(view, row) }
    return countsNoMore(letGo, now) !== null
  })
}

/** What policies say of it; where that cannot be known now, what they said when it was approved: time goes on all the same. */
const known = (rules: Resolved | ServiceError, decision: { policy: unknown }): Resolved | null =>
  rules instanceof ServiceError ? (snapshotOf(decision)?.rules ?? null) : rules

/** How many nodes of its pool go at once, by the watch. */
const poolOf = (view: ClusterView, { groupKind, groupName }: Pick<Governed, 'groupKind' | 'groupName'>) => {
  const object = groupKind === POOL ? view.objects(POOL_RESOURCES.pools).get(groupName) : undefined
  return object ? atOnceIn(object) : null
}

async function expireOne(view: ClusterView, id: string): Promise<void> {
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    if (!(await tryLockChange(tx, id))) return
    const change = await tx.change.findUniqueOrThrow({ where: { id } })
    const decision = await tx.decision.findFirst({
      where: { changeId: id, ...LETS_GO },
      orderBy: { recordedAt: 'desc' },
    })
    if (!decision || change.pausedAt || !UNDER_WAY.includes(change.state)) return
    if (await begunBy(tx, id, decision.id)) return
    const given = await approvalsWhere(tx, { decisionId: decision.id })
    const asked = await rulesFor(tx, change).catch((error: unknown) => {
      if (error instanceof ServiceError) return error
      throw error
    })
    const [rules, author] = [known(asked, decision), await authorOf(tx, change.author)]
    const now = await databaseNow(tx)
    const mode = decision.mode as Approval['mode']
    const why = rules && countsNoMore({ given, mode, rules, author, pool: poolOf(view, change) }, now)
    if (!why) return
    const pausedReason = why === 'expired' ? EXPIRED : SHOWED_FEWER
    const paused = { pausedBy: ITS_APPROVAL, pausedReason, pausedAt: now, pausedUntilHeld: true }
    await tx.change.update({ where: { id }, data: paused })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [id] })
    await recordAudit(tx, systemCtx('planner'), {
      action: why === 'expired' ? 'approval.expired' : 'approval.outgrown',
      target: { kind: change.groupKind, id, name: namedIn(change.namespace, change.groupName) },
      cluster: { id: view.clusterId, name: view.name },
      reason: 'Nothing had begun, under a pause that somebody else set.',
      details: { mode, summary: change.summary },
    })
  })
}
