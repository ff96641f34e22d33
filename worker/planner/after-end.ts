import { db, pool } from '@/lib/db/client'
import { json } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { BEFORE_DISCONNECT_SQL } from '@/lib/services/changes/states'
import { LATER_MS, owned, SOON_MS, type Owning } from './common'
import { outcomeAgain } from './outcome'
import { TOLD_BY, withUnforetold } from './unforetold'
import type { Progress, Step } from './progress'

const UNDER_WAY = `
SELECT p.change_id AS "changeId", p.machine_id AS "machineId", p.state, m.id IS NULL AS gone,
  m.updating OR m.deleting AS busy, m.state AS "machineState", p.started_at AS since,
  CASE WHEN p.state = 'created' THEN p.through_at END AS "throughAt"
FROM change c
JOIN machine_progress p ON p.change_id = c.id
LEFT JOIN machine m ON m.id = p.machine_id
WHERE c.cluster_id = $1 AND c.group_id = $2 AND c.state = 'superseded'
  AND p.state IN ('updating', 'deleting', 'created') AND p.started_at IS NOT NULL AND p.finished_at IS NULL
  AND ${BEFORE_DISCONNECT_SQL} IS NOT TRUE`

interface UnderWay {
  changeId: string
  machineId: string
  state: Step
  gone: boolean
  busy: boolean | null
  machineState: string | null
  since: Date
  /** Of one that was made: when it was Ready first, where its node is away again. */
  throughAt: Date | null
}

const HANGS_MS = 10 * 60_000

/**
 * What a change had begun when a newer one took its place goes on to its end, and is on record with it. When to look again,
 * where something is still under way: often at first; what hangs is not worth a plan a second.
 */
export async function followSuperseded(view: Owning, groupId: string): Promise<number | null> {
  const { rows } = await pool().query<UnderWay>(UNDER_WAY, [view.clusterId, groupId])
  const ended = rows.flatMap((row) => {
    const state = endOf(row)
    return state ? [{ ...row, was: row.state, state }] : []
  })
  if (ended.length > 0) await record(view, ended)
  const left = rows.filter((row) => endOf(row) === null)
  if (left.length === 0) return null
  return left.some(({ since }) => Date.now() - since.getTime() < HANGS_MS) ? SOON_MS : LATER_MS
}

async function record(view: Owning, ended: (UnderWay & { was: Step })[]): Promise<void> {
  const ids = [...new Set(ended.map(({ changeId }) => changeId))]
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    const now = await databaseNow(tx)
    for (const { changeId, machineId, state, was, throughAt } of ended) {
      const at = state === 'created' ? (throughAt ?? now) : now
      const step = state !== 'deleted' ? { throughAt: at } : was === 'deleting' ? {} : { deletingAt: now }
      await tx.machineProgress.update({
        where: { changeId_machineId: { changeId, machineId } },
        data: { ...step, state, finishedAt: at, message: null },
      })
    }
    for (const id of ids) {
      const { progress, ...change } = await tx.change.findUniqueOrThrow({
        where: { id },
        select: { ...TOLD_BY, progress: true },
      })
      const now = await withUnforetold(change, outcomeAgain(change, progress as Progress[]), tx)
      await tx.change.update({ where: { id }, data: { outcome: json(now) } })
    }
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids })
  })
}

/** Null: it is not over yet. Cluster API finishes a machine that it has begun, whatever is wanted by then. */
function endOf({ state, gone, busy, machineState }: UnderWay): Step | null {
  if (gone) return 'deleted'
  if (busy || (state === 'created' && machineState !== 'ready')) return null
  return state === 'deleting' ? null : state === 'updating' ? 'done' : 'created'
}
