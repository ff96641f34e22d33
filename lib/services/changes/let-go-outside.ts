import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Unapproved } from '@/lib/domain/latch/unapproved'
import { LETS_GO_SQL } from './states'

export const LET_GO = 'change.let-go'
/** It began without having been held, although its group is governed. */
export const NOT_HELD = 'change.not-held'
/** Its date is about to come, and no approval of what moves then is in force: it has not begun. */
export const DATE_UNAPPROVED = 'change.date-unapproved'

/** It goes on with what was approved, or paused, before its cluster was disconnected: that stands no more. */
export const LEFT = 'change.left'

/** What was let go is held again, by somebody's own write, or by Drydock itself. */
export const ENDED = 'decision.ended'
const HOLDS = ['change.stopped', 'change.held-again', ENDED]

/** On record of a change (`c`): it was let go outside by then, and nothing held it again since. */
export const unheldSql = (from: string, till: string): string => `EXISTS (SELECT 1 FROM audit_event a
  WHERE a.target_kind = c.group_kind AND a.target_id = c.id::text AND a.action = '${LET_GO}' AND a.at <= ${from}
    AND NOT EXISTS (SELECT 1 FROM audit_event h WHERE h.target_kind = c.group_kind AND h.target_id = c.id::text
      AND h.action IN (${HOLDS.map((action) => `'${action}'`).join(', ')}) AND h.result = 'ok' AND h.id > a.id AND h.at <= ${till})
    AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL
      AND d.voided_at > a.at AND d.voided_at <= ${till}))`

/** As far as that is on record. */
export async function isUnheldStill(tx: Tx, changeId: string): Promise<boolean> {
  const now = 'clock_timestamp()'
  const sql = `SELECT 1 FROM change c WHERE c.id = $1::uuid AND ${unheldSql(now, now)}`
  return (await tx.$queryRawUnsafe<unknown[]>(sql, changeId)).length > 0
}

/** In the details of such an event: who disconnected its cluster, although it moved by that. */
export const BY_DISCONNECT = 'byDisconnect'

/** On record: somebody outside took the hold of this change away. */
export async function wasLetGo({ id, groupKind }: Pick<Change, 'id' | 'groupKind'>): Promise<boolean> {
  return (await db().auditEvent.count({ where: { targetKind: groupKind, targetId: id, action: LET_GO } })) > 0
}

/** On record: it had begun, and nothing had held it, when it was first seen. */
export async function beganUnheld({ id, groupKind }: Pick<Change, 'id' | 'groupKind'>): Promise<boolean> {
  return (await db().auditEvent.count({ where: { targetKind: groupKind, targetId: id, action: NOT_HELD } })) > 0
}

/**
 * Changes that move although nobody approved them here: because somebody outside took their hold away, because nothing held
 * them when they began, or because what they were let go with is void. `ids`: which are asked about; absent: all.
 */
export async function movingUnapproved(tx: Tx, ids: readonly string[] | null = null): Promise<Map<string, Unapproved>> {
  if (ids?.length === 0) return new Map()
  const rows = await tx.$queryRawUnsafe<
    { id: string; taken: boolean; disconnect: boolean; unheld: boolean; left: boolean }[]
  >(MOVING, ids)
  return new Map(
    rows.map(({ id, taken, disconnect, unheld, left }) => [
      id,
      disconnect ? 'disconnect' : taken ? 'taken' : left ? 'left' : unheld ? 'never-held' : 'by-date',
    ]),
  )
}

const recorded = (action: string, more = ''): string =>
  `EXISTS (SELECT 1 FROM audit_event a WHERE a.target_kind = c.group_kind AND a.target_id = c.id::text AND a.action = '${action}'${more})`
/** It moved only when its cluster was disconnected, also where what held it besides had been taken away before. */
const DISCONNECT = ` AND a.details ? '${BY_DISCONNECT}'`

const MOVING = `
SELECT id, taken, disconnect, unheld, "left" FROM (
  SELECT c.id::text AS id, ${recorded(LET_GO)} AS taken, (${recorded(LET_GO, DISCONNECT)} OR ${recorded(NOT_HELD, DISCONNECT)}) AS disconnect, ${recorded(NOT_HELD)} AS unheld, ${recorded(LEFT)} AS "left", ${recorded(DATE_UNAPPROVED)} AS dated
  FROM change c WHERE ($1::uuid[] IS NULL OR c.id = ANY($1::uuid[])) AND c.state IN ('running', 'stuck')
    AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND ${LETS_GO_SQL})) AS moving
WHERE taken OR unheld OR "left" OR dated`

/** The group is governed, where something is to hold it, and wants something else than what it was last known to be let go with. */
export async function differsUnheld(groupId: string, digest: string): Promise<boolean> {
  const select = { governed: true, letGo: true, cluster: { select: { latchForm: true } } } as const
  const row = await db().group.findUnique({ where: { id: groupId }, select })
  return row?.governed === true && row.cluster.latchForm !== 'none' && row.letGo !== null && row.letGo !== digest
}

/**
 * It goes, and nothing held it before it began: what it goes with was let go by nobody. `open`: its change, where that is known
 * already, with its newest decision in force.
 */
export async function goesUnheld(
  groupId: string,
  digest: string,
  open: (Pick<Change, 'id'> & { decisions: { mode: string }[] }) | null,
): Promise<boolean> {
  if (open?.decisions.some(({ mode }) => mode !== 'reject') || !(await differsUnheld(groupId, digest))) return false
  if (open === null) return true
  const why = (await movingUnapproved(db(), [open.id])).get(open.id)
  return why === 'never-held' || why === 'by-date'
}
