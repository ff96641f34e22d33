import { db, pool, type Tx } from '@/lib/db/client'
import { json } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import type { ChangeOutcome } from '@/lib/services/changes/change-row'
import { continuedOfChange } from '@/lib/services/changes/continued'
import { begunUnapproved, recordBegun } from '@/lib/services/changes/moved-unapproved'
import { BEFORE_DISCONNECT_SQL } from '@/lib/services/changes/states'
import { owned } from '../planner/common'
import { outcomeOf } from '../planner/outcome'
import type { Progress } from '../planner/progress'
import type { ClusterView } from '../types'

const CONFIG = (change: string) => `${change}.outlook #>> '{pool,config}'`
const IMAGE = (change: string) => `${change}.outlook #>> '{pool,image}'`
const TOLD = `(n.desired_config = ${CONFIG('c')} AND (c.outlook #> '{pool,image}' IS NULL OR n.desired_image IS NOT DISTINCT FROM ${IMAGE('c')}))`

/** What nodes show may be late: it is looked for as long after a newer configuration came. */
const LATE = '1 hour'

/**
 * Nodes of changes that a newer configuration took the place of: those on their way, and those that were not seen to begin until then.
 * A configuration may come more than once: what a node shows is of the last change that brings it, unless it began by another.
 */
const OVERTAKEN = `
SELECT c.id AS "changeId", p.machine_id AS "machineId", p.started_at IS NULL AS late, n.phase, ${TOLD} AS told
FROM change c JOIN machine_progress p ON p.change_id = c.id JOIN config_node n ON n.id = p.machine_id
WHERE c.cluster_id = $1 AND c.group_id = $2 AND c.state = 'superseded' AND p.finished_at IS NULL AND ${BEFORE_DISCONNECT_SQL} IS NOT TRUE
  AND (p.state = 'updating' OR (p.state = 'waiting' AND p.started_at IS NULL AND c.finished_at > now() - interval '${LATE}'
    AND ${TOLD} AND NOT EXISTS (
      SELECT 1 FROM change o LEFT JOIN machine_progress q ON q.change_id = o.id AND q.machine_id = p.machine_id
      WHERE o.cluster_id = c.cluster_id AND o.group_id = c.group_id AND o.id <> c.id AND ${CONFIG('o')} = ${CONFIG('c')}
        AND ${IMAGE('o')} IS NOT DISTINCT FROM ${IMAGE('c')} AND (o.detected_at > c.detected_at OR q.started_at IS NOT NULL))))
ORDER BY p.machine_id`

interface Overtaken {
  changeId: string
  machineId: string
  late: boolean
  phase: string
  /** What it is to have is what the change brings; null: that is not known. */
  told: boolean | null
}

const UNDER_WAY = ['draining', 'updating', 'rebooting']

/** Null: it is not over yet. The operator finishes what a node has begun, whatever is wanted by then, before it is told anything else. */
function endOf({ phase, told }: Overtaken): 'done' | 'failed' | null {
  if (told === false) return 'done'
  if (phase === 'degraded') return 'failed'
  return UNDER_WAY.includes(phase) ? null : 'done'
}

/** What a node had begun when a newer config took the place of its change goes on to its end, is counted, and on record with it. */
export async function followOvertaken(
  view: Pick<ClusterView, 'clusterId' | 'fence' | 'name'>,
  groupId: string,
): Promise<void> {
  const { rows } = await pool().query<Overtaken>(OVERTAKEN, [view.clusterId, groupId])
  if (rows.length === 0) return
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    const now = await databaseNow(tx)
    const ids = [...new Set(rows.map(({ changeId }) => changeId))]
    const changes = await tx.change.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } })
    const finished = new Map(changes.map(({ id, finishedAt }) => [id, finishedAt]))
    // In one order, as whoever counts it as done: no two wait for each other.
    for (const row of rows) {
      const { changeId, machineId, late } = row
      const state = endOf(row)
      if (!state && !late) continue
      // What shows only now began before the newer one came.
      const begun = late ? { startedAt: finished.get(changeId) ?? now } : {}
      const ended = state ? { finishedAt: now, message: null } : {}
      await tx.machineProgress.updateMany({
        where: { changeId, machineId, finishedAt: null },
        data: { ...begun, ...ended, state: state ?? 'updating' },
      })
    }
    const told = []
    for (const change of changes) {
      const { news, outcome } = await outcomeNow(tx, change)
      if (same(outcome, change.outcome)) continue
      await tx.change.update({ where: { id: change.id }, data: { outcome: json(outcome) } })
      told.push({ change, news })
    }
    if (told.length > 0)
      await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: told.map(({ change }) => change.id) })
    for (const { change, news } of told) if (news.length > 0) await recordBegun(tx, change, view.name, news)
  })
}

/** With what is under way, and what nobody had approved; `news`: what of that is not on record yet. */
async function outcomeNow(tx: Tx, change: { id: string; groupKind: string; heldBy: string }) {
  const rows = (await tx.machineProgress.findMany({ where: { changeId: change.id } })) as Progress[]
  const moved = await begunUnapproved(tx, change)
  const news = change.heldBy === 'latch' && !(await mayGo(tx, change.id)) ? moved.news : []
  const unapproved = moved.told.length + news.length
  const begun = rows.filter(({ state, finishedAt }) => state === 'updating' && finishedAt === null).length
  const outcome: ChangeOutcome = {
    ...outcomeOf(rows, false),
    ...(begun > 0 ? { begun } : {}),
    ...(unapproved > 0 ? { unapproved } : {}),
  }
  return { news, outcome }
}

/** What began while an approval let it go, or might have, also before its cluster was disconnected, is not unapproved. */
async function mayGo(tx: Tx, changeId: string): Promise<boolean> {
  const sent = { OR: [{ sentAt: { not: null } }, { acceptedAt: { not: null } }] }
  if ((await tx.decision.count({ where: { changeId, mode: { not: 'reject' }, ...sent } })) > 0) return true
  return (await continuedOfChange(tx, changeId))?.letGoBy?.stood ?? false
}

/** The database keeps keys in an order of its own. */
function same(outcome: ChangeOutcome, stored: unknown): boolean {
  const before = new Map(Object.entries(stored ?? {}))
  const now = Object.entries(outcome)
  return now.length === before.size && now.every(([key, n]) => before.get(key) === n)
}
