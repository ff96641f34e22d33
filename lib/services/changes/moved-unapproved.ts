import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { approvedThen, unapprovedThen } from '@/lib/domain/latch/approved-then'
import { POOL } from '@/lib/domain/latch/hold'
import { namedIn } from '@/lib/kubernetes/paths'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { APPROVED_THEN, BY_NO_WORD } from './approved-then'
import { continuedOfChange } from './continued'
import { HELD_AGAIN } from './held-again'
import { LET_GO, NOT_HELD, unheldSql } from './let-go-outside'

/** Nodes of a pool took up what waits, and nobody had let it go, whether or not it was approved. */
export const MOVED_UNAPPROVED = 'change.moved-unapproved'

/** So long the beginning of a node that was told before its pool was paused may take to be seen. */
const NEAR = '5 seconds'

const HELD_FROM = `(SELECT max(d.voided_at) FROM decision d WHERE d.change_id = c.id AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL)`
/** Of what the rollout made nothing was foretold. */
const MADE = (of: string) => `${of}.change_id = c.id AND ${of}.predicted IS NULL AND ${of}.started_at IS NOT NULL`
/**
 * Of workers: one of as many as went of what was made of it since it was held, or as Drydock itself has its machine set make. So those that
 * went are counted, and all that came.
 */
const IN_PLACE_OF_ANOTHER = `(SELECT count(*) FROM machine_progress n WHERE ${MADE('n')} AND n.state IN ('created', 'deleting', 'deleted')
    AND n.started_at > ${HELD_FROM} + interval '30 seconds' AND (n.started_at, n.machine_id) <= (p.started_at, p.machine_id))
  <= (SELECT count(*) FROM machine_progress g WHERE ${MADE('g')} AND g.state IN ('deleting', 'deleted')
    AND g.started_at < p.started_at AND g.deleting_at > ${HELD_FROM} AND g.deleting_at <= p.started_at + interval '30 seconds')
  + coalesce((SELECT greatest(0, (s.scaling->>'to')::int - (s.scaling->>'from')::int) FROM machine_group s JOIN machine m ON m.id = p.machine_id
    WHERE s.id = c.group_id AND s.cluster_id = c.cluster_id AND s.scaling->>'set' = m.machine_set
      AND (s.scaling->>'at')::timestamptz <= p.started_at + interval '30 seconds'), 0)`

/**
 * Of workers: machines that came while their group was held again. When those were made is known by the API server's clock, which may be behind.
 * What began under an approval may be seen a moment after that was void. While one was being sent that the cluster surely never stored,
 * it began by nobody's word; of what is not answered yet, nobody knows. What began while nothing held its group is on record as that.
 */
const BEGUN = `
SELECT p.machine_name AS name, p.begun_by IS NOT NULL OR EXISTS (SELECT 1 FROM decision d WHERE d.change_id = p.change_id AND d.mode <> 'reject'
  AND d.accepted_at <= p.started_at) AS "letGo", ${APPROVED_THEN} AS approved, p.started_at > c.detected_at + interval '${NEAR}' AS later
FROM machine_progress p JOIN change c ON c.id = p.change_id LEFT JOIN decision word ON word.id = p.begun_by
WHERE p.change_id = $1::uuid AND ${BY_NO_WORD}
  AND (c.group_kind <> 'MachineDeployment' OR p.state = 'created' AND EXISTS (SELECT 1 FROM decision d
    WHERE d.change_id = p.change_id AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL)
    AND NOT (${IN_PLACE_OF_ANOTHER})
    AND NOT ${unheldSql("p.started_at + interval '30 seconds'", "p.started_at - interval '30 seconds'")})
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = p.change_id AND d.mode <> 'reject'
    AND d.accepted_at <= CASE WHEN c.group_kind = 'MachineDeployment' THEN now() ELSE p.started_at + interval '30 seconds' END
    AND d.voided_at >= p.started_at - interval '30 seconds')
ORDER BY p.machine_name`

type Moved = Pick<Change, 'id' | 'clusterId' | 'groupKind' | 'groupName' | 'namespace' | 'summary'>
interface Begun {
  name: string
  letGo: boolean
  /** Enough had approved it by then, and it was kept for its time. */
  approved: boolean
  /** Well after its pool was first paused. */
  later: boolean
}

/** By name, nodes that began so and are on record with it; `news`: those that are not yet. */
export async function begunUnapproved(
  tx: Tx,
  { id, groupKind }: Pick<Change, 'id' | 'groupKind'>,
): Promise<{ told: string[]; news: Begun[] }> {
  const begun = await tx.$queryRawUnsafe<Begun[]>(BEGUN, id)
  const where = { targetKind: groupKind, targetId: id, action: MOVED_UNAPPROVED }
  const told = [...new Set((await tx.auditEvent.findMany({ where, select: { details: true } })).flatMap(nodesOf))]
  return { told, news: begun.filter(({ name }) => !told.includes(name)) }
}

/** Puts on record, each node once, what began of a change that waits although no approval of it was in force. */
export async function recordMovedUnapproved(tx: Tx, change: Moved, cluster: string): Promise<void> {
  const { news } = await begunUnapproved(tx, change)
  // What goes on by what was approved before its cluster was disconnected is told as that.
  if (news.length === 0 || (await continuedOfChange(tx, change.id))?.letGoBy?.stood) return
  await recordBegun(tx, change, cluster, news)
}

/** `why`: how it came to that, where that is known; else by what is on record of its holds. */
export async function recordBegun(
  tx: Tx,
  change: Moved,
  cluster: string,
  news: readonly Begun[],
  why?: string,
  more: object = {},
): Promise<void> {
  const { id, clusterId, groupKind, groupName, namespace, summary } = change
  const nodes = news.map(({ name }) => name).join(', ')
  const letGo = news.some((one) => one.letGo)
  const said = unapprovedThen(approvedThen(news), letGo)
  // What is on record of the pausing of pools says nothing of other groups.
  const how = letGo ? undefined : (why ?? (groupKind === POOL ? await whyBegun(tx, change, news) : undefined))
  await recordAudit(tx, systemCtx('planner'), {
    action: MOVED_UNAPPROVED,
    target: { kind: groupKind, id, name: namedIn(namespace, groupName) },
    cluster: { id: clusterId, name: cluster },
    reason: `${said} when ${nodes} began${how ? `: ${how}` : ''}.`,
    details: { summary, nodes, ...more },
  })
}

async function whyBegun(tx: Tx, { id, groupKind }: Moved, news: readonly Begun[]): Promise<string> {
  const where = { targetKind: groupKind, targetId: id, action: HELD_AGAIN, result: 'ok' }
  const taken = (await tx.auditEvent.count({ where })) > 0
  if (!taken && !news.some(({ later }) => later)) return 'the pool was paused only after that'
  // The write that paused it once more may not be on record yet.
  if (!taken || !news.every(({ later }) => later)) return 'the pool was not paused then'
  return 'Drydock had paused the pool before that, and somebody had taken that away'
}

const nodesOf = ({ details }: { details: unknown }): string[] => (details as { nodes: string }).nodes.split(', ')

/** By name: nodes of a pool that are on record so with this change. */
export async function nodesMovedUnapproved(changeId: string): Promise<string[]> {
  return (await nodesMoved([changeId])).get(changeId) ?? []
}

async function nodesMoved(ids: string[]): Promise<Map<string, string[]>> {
  const where = { targetKind: POOL, targetId: { in: ids }, action: MOVED_UNAPPROVED }
  const events = await db().auditEvent.findMany({ where, select: { targetId: true, details: true } })
  const found = new Map<string, string[]>()
  for (const { targetId, details } of events) {
    const id = targetId ?? ''
    found.set(id, [...new Set([...(found.get(id) ?? []), ...nodesOf({ details })])].sort())
  }
  return found
}

/** The same of changes that are over. */
export interface MovedBefore {
  id: string
  summary: string
  nodes: string[]
  /** It came to its end, and no decision let it go; else a newer configuration took its place. */
  isDone: boolean
}

const BY_NOBODY = { decisions: { none: { mode: { not: 'reject' }, acceptedAt: { not: null } } } }

/**
 * Of a pool, the newest first, since it last had what was wanted of it: its nodes were elsewhere ever since. Also that one, where
 * nobody ever let it go.
 */
export async function movedBefore(clusterId: string, groupId: string): Promise<MovedBefore[]> {
  const of = { clusterId, groupId }
  const newest = { orderBy: { detectedAt: 'desc' as const }, select: { id: true, summary: true, detectedAt: true } }
  const over = await db().change.findFirst({ where: { ...of, state: { in: ['done', 'reverted'] } }, ...newest })
  const since = over ? { detectedAt: { gt: over.detectedAt } } : {}
  const superseded = { state: 'superseded', leftAfter: null, ...since }
  const byNobody = { state: 'done', ...BY_NOBODY }
  const where = { ...of, OR: [superseded, ...(over ? [{ ...byNobody, id: over.id }] : [])] }
  const changes = await db().change.findMany({ where, ...newest, take: MOST })
  if (changes.length === 0) return []
  const ids = changes.map(({ id }) => id)
  const nodes = new Map([...(await nodesUnheld(ids)), ...(await nodesMoved(ids))])
  return changes.flatMap(({ id, summary }) =>
    nodes.has(id) ? [{ id, summary, nodes: nodes.get(id)!, isDone: id === over?.id }] : [],
  )
}
const MOST = 20

/** Nothing ever held these, and no decision let them go: by name, what began of them. */
async function nodesUnheld(ids: string[]): Promise<Map<string, string[]>> {
  const where = { targetKind: POOL, targetId: { in: ids }, action: { in: [NOT_HELD, LET_GO] }, result: 'ok' }
  const events = await db().auditEvent.findMany({ where, distinct: ['targetId'], select: { targetId: true } })
  const unheld = events.flatMap(({ targetId }) => targetId ?? [])
  const begun = await db().machineProgress.findMany({
    where: { changeId: { in: unheld }, startedAt: { not: null }, change: BY_NOBODY },
    ...{ orderBy: { machineName: 'asc' }, select: { changeId: true, machineName: true } },
  })
  const found = new Map<string, string[]>()
  for (const { changeId, machineName } of begun) found.set(changeId, [...(found.get(changeId) ?? []), machineName])
  return found
}
