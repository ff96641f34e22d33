import type { Prisma } from '@/lib/db/generated/client'

/** States in which a change was let go, and is not through. */
export const UNDER_WAY = ['approved', 'running', 'stuck']

/** States in which a change is not over. */
export const OPEN = ['waiting', 'rejected', ...UNDER_WAY]

export const isOpen = (state: string): boolean => OPEN.includes(state)

/** The same, as a list in SQL. */
export const OPEN_SQL = OPEN.map((state) => `'${state}'`).join(', ')

/** Of a decision: it speaks. */
export const LIVE = ['recorded', 'applying', 'accepted', 'seen']

/** Of a decision: it let its change go, and is in force. */
export const LETS_GO = {
  mode: { not: 'reject' },
  state: { in: ['accepted', 'seen'] },
} satisfies Prisma.DecisionWhereInput

/** The same of decision d, in SQL. */
export const LETS_GO_SQL = `(d.mode <> 'reject' AND d.state IN ('accepted', 'seen'))`

/**
 * In SQL, of a change c that is over: it ended before its cluster was disconnected at last, or by that. What becomes of its machines since
 * is no part of it.
 */
export const BEFORE_DISCONNECT_SQL = `(c.left_after IS NOT NULL OR c.finished_at <= (SELECT max(a.at) FROM audit_event a WHERE a.target_kind = 'ManagementCluster'
  AND a.target_id = c.cluster_id::text AND a.action = 'cluster.disconnected' AND a.result = 'ok'))`

/**
 * In SQL, of a change by its id (with its table: a decision has one, too): a machine began while a decision that let it go was in force. What began otherwise did so by nobody's
 * word (a node that was told before its pool was paused, or after an approval was taken back). `by`: it began by that decision, and not
 * by one that was rejected since. `since`: at this moment or after it.
 */
export const begunSql = (
  id: string,
  by?: string,
  since?: string,
): string => `EXISTS (SELECT 1 FROM machine_progress begun JOIN decision word ON word.id = begun.begun_by
  WHERE begun.change_id = ${id} AND word.accepted_at IS NOT NULL${by ? ` AND word.id = ${by}` : ''}${since ? ` AND begun.started_at >= ${since}` : ''})`

/** In SQL, of a change by its table's alias: whether anything of it was ever let go, or moved. */
export const beganSql = (change: string): string => `(${change}.state IN ('approved', 'running', 'stuck', 'done')
  OR EXISTS (SELECT 1 FROM decision WHERE change_id = ${change}.id AND mode <> 'reject' AND sent_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM machine_progress WHERE change_id = ${change}.id AND started_at IS NOT NULL))`

/** Fields of a change that nobody pauses, or has held again to wait for people. */
export const NOT_PAUSED = { pausedBy: null, pausedReason: null, pausedAt: null, pausedUntilHeld: false }

/** Fields of a change whose windows, freezes and waves count. */
export const NOT_OVERRIDDEN = { overrideBy: null, overrideReason: null, overrideAt: null }
