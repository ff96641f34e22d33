import { pool } from '@/lib/db/client'
import { notOwned, ownedSql } from '../owned'
import { wentForetold, type Foretold } from './as-foretold'
import type { Progress } from './progress'

/** What began by its deletion alone did not begin. */
const AT_ONCE = 'started_at >= deleting_at'
const GIVES_WAY = `
UPDATE machine_progress SET went_by = 'others', started_at = CASE WHEN ${AT_ONCE} THEN NULL ELSE started_at END,
  begun_by = CASE WHEN ${AT_ONCE} THEN NULL ELSE begun_by END
WHERE change_id = $1::uuid AND machine_id = ANY($2::uuid[]) AND ${ownedSql('(SELECT cluster_id FROM change WHERE id = $1::uuid)', '$3')}`

/**
 * More went than were foretold, as one that was to go did so after others: which of those was not foretold is known by that. It is
 * written, and given back.
 */
export async function giveWay(
  changeId: string,
  rows: Iterable<Progress>,
  { deleted }: Foretold,
  fence: bigint,
): Promise<Progress[]> {
  const went = [...rows].filter(wentForetold)
  const others = went.filter(({ predicted }) => predicted !== 'replace')
  // Of several, first those that were seen ill.
  const over = [...others.filter(({ unwell }) => unwell), ...others.filter(({ unwell }) => !unwell)].slice(
    0,
    Math.max(0, went.length - deleted),
  )
  if (over.length === 0) return []
  const { rowCount } = await pool().query(GIVES_WAY, [changeId, over.map(({ machineId }) => machineId), fence])
  if (rowCount === 0) throw notOwned()
  const isAtOnce = ({ startedAt, deletingAt }: Progress) => !!startedAt && !!deletingAt && startedAt >= deletingAt
  return over.map((row) => ({ ...row, wentBy: 'others', startedAt: isAtOnce(row) ? null : row.startedAt }))
}
