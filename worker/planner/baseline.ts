import { db, pool } from '@/lib/db/client'
import { WENT_LATE } from '@/lib/services/changes/late-hold'
import { ownedSql } from '../owned'
import { outcomeAgain } from './outcome'
import { TOLD_BY, withUnforetold } from './unforetold'
import type { Progress } from './progress'

const GROUP = `
  FROM change c JOIN machine m ON m.cluster_id = c.cluster_id AND m.group_kind = c.group_kind
    AND m.namespace = c.namespace AND m.group_name = c.group_name
  WHERE c.id = $1`

const OWNED = (fence: string, news?: string) => ownedSql('(SELECT cluster_id FROM change WHERE id = $1)', fence, news)
/** Next to nothing is gone whenever it is looked at. */
const where = (gone: string, fence: string) =>
  `WHERE ${gone} AND ${OWNED(fence, `SELECT 1 FROM machine_progress p WHERE ${gone}`)}`

const IS_GONE = `p.change_id = $1 AND p.started_at IS NULL AND NOT EXISTS (SELECT 1 ${GROUP} AND m.id = p.machine_id)`
/**
 * By whom it was deleted nobody knows: by what began in the moment before its group was held, or by somebody since. What goes an hour
 * later goes for another reason.
 */
const GONE_LATE = `
UPDATE machine_progress p SET state = 'deleted', message = $3, finished_at = now(), deleting_at = coalesce(deleting_at, now())
${where(
  `${IS_GONE} AND p.state = 'waiting'
  AND EXISTS (SELECT 1 FROM change c WHERE c.id = $1 AND c.detected_at > now() - interval '1 hour')`,
  '$2',
)}`
/** What goes in the middle of what was let go is a part of what became of it, and so is what its health check found ill. */
const GONE_MIDWAY = `
UPDATE machine_progress p SET state = 'deleted', message = NULL, finished_at = now(), deleting_at = coalesce(deleting_at, now())
${where(
  `${IS_GONE} AND p.state <> 'deleted' AND (p.ill_at IS NOT NULL
  OR EXISTS (SELECT 1 FROM decision d WHERE d.change_id = $1 AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM machine_progress begun WHERE begun.change_id = $1 AND begun.started_at IS NOT NULL))`,
  '$2',
)}`
const GONE = `
DELETE FROM machine_progress p ${where(`${IS_GONE} AND p.state <> 'deleted'`, '$2')}`

/** By the API server's clock, in whole seconds. */
const MADE_SINCE = `m.created_at >= (
  SELECT date_trunc('second', min(accepted_at)) FROM decision WHERE change_id = c.id AND mode <> 'reject')`

const COUNTED = `UPDATE change SET outcome = $3::jsonb WHERE id = $1 AND ${OWNED('$2')}`

/** What is new only: it is asked at each look at what is held, and mostly nothing is. */
const PRESENT = `
WITH there AS (
  SELECT c.id AS change_id, m.id AS machine_id, m.name, CASE WHEN m.verdict <> 'up-to-date' OR m.verdict IS NULL THEN 'waiting'
    WHEN ${MADE_SINCE} THEN 'created' ELSE 'done' END AS state ${GROUP} AND (NOT m.deleting OR ($2 AND m.verdict IS DISTINCT FROM 'up-to-date'))
    AND (c.held_by = 'latch' OR m.created_at <= c.detected_at)),
news AS (
  SELECT t.* FROM there t LEFT JOIN machine_progress p USING (change_id, machine_id)
  WHERE p.machine_id IS NULL OR (p.started_at IS NULL AND p.state <> t.state))
INSERT INTO machine_progress (change_id, machine_id, machine_name, state)
SELECT * FROM news WHERE ${OWNED('$3', 'SELECT 1 FROM news')}
ON CONFLICT (change_id, machine_id) DO UPDATE SET state = excluded.state, message = NULL, finished_at = NULL, deleting_at = NULL, went_by = NULL,
  unwell = NULL, unwell_since = NULL
WHERE machine_progress.started_at IS NULL AND machine_progress.state <> excluded.state`

/**
 * Writes down which machines a group has while it is held and undecided: afterwards what is new was created by the
 * rollout, and what is missing was deleted, however fast it went. What needs nothing is done without ever starting; but where
 * it was let go before, and held again, what was made since is new, also where nobody had looked at it by then.
 * A control plane that only the gate holds brings its surge machine all the same: that one is new. `late`: it was held only after it
 * had been stored, so that what goes, or is gone, may have been deleted by it.
 */
export async function keepBaseline(fence: bigint, changeId: string, late = false): Promise<void> {
  if (late) await pool().query(GONE_LATE, [changeId, fence, WENT_LATE])
  const { rowCount } = await pool().query(GONE_MIDWAY, [changeId, fence])
  if (rowCount) await countGone(fence, changeId)
  await pool().query(GONE, [changeId, fence])
  await pool().query(PRESENT, [changeId, late, fence])
}

async function countGone(fence: bigint, changeId: string): Promise<void> {
  const { progress, ...change } = await db().change.findUniqueOrThrow({
    where: { id: changeId },
    select: { ...TOLD_BY, progress: true },
  })
  const now = await withUnforetold(change, outcomeAgain(change, progress as Progress[]))
  await pool().query(COUNTED, [changeId, fence, JSON.stringify(now)])
}
