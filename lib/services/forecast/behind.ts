import { pool } from '@/lib/db/client'
import { behindWords, isLate } from '@/lib/domain/changes/behind'

export interface BehindNow {
  /** Machines whose updaters are done, and that are not what is wanted. */
  names: string[]
  /** What they wait for, in one sentence; null: there are none. */
  words: string | null
  /** One of them is so for longer than a node takes to report. */
  late: boolean
}

export const NONE_BEHIND: BehindNow = { names: [], words: null, late: false }

/** As lib/domain/changes/behind.ts says it (isBehind): thousands may be at work at once, and few are behind. */
const BEHIND = `
SELECT m.name, m.sentence, m.changed_at AS "changedAt", cardinality(p.updaters_done) > 0 AS updaters
FROM machine_progress p JOIN machine m ON m.id = p.machine_id
WHERE p.change_id = $1 AND p.state = 'updating' AND p.started_at IS NOT NULL
  AND m.up_to_date = false AND NOT m.updating AND NOT m.deleting AND m.error IS NULL
ORDER BY m.changed_at, m.name`

/** Which machines of a change count for Cluster API, and are not what they were to become; longest so first. */
export async function behindNow(changeId: string, now: number): Promise<BehindNow> {
  const { rows } = await pool().query<{ name: string; sentence: string; changedAt: Date; updaters: boolean }>(BEHIND, [
    changeId,
  ])
  // The one that is so for longest speaks for all.
  const [first] = rows
  if (!first) return NONE_BEHIND
  const more = rows.length > 1 ? `, and so with ${rows.length - 1} more` : ''
  const words = `${first.name}: ${behindWords(first, first.updaters)}${more}. It ends when that changes.`
  return { names: rows.map(({ name }) => name), words, late: isLate(first, now) }
}
