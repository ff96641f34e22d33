import { pool } from '@/lib/db/client'
import { SEEN_STORED } from '@/lib/domain/latch/names'
import type { ChangeDto } from './change-row'

/** What had begun of a change that was paused only after it was stored, in machines of its group as they are now. */
export interface LateHold {
  /** They are as the change wants them. */
  there: number
  coming: number
  updating: number
  deleting: number
}

const BEGUN = `
SELECT count(*) FILTER (WHERE deleting)::int AS deleting, count(*) FILTER (WHERE updating AND NOT deleting)::int AS updating,
  count(*) FILTER (WHERE verdict = 'up-to-date' AND NOT deleting AND NOT updating AND node IS NULL)::int AS coming,
  count(*) FILTER (WHERE verdict = 'up-to-date' AND NOT deleting AND NOT updating AND node IS NOT NULL)::int AS there
FROM machine WHERE cluster_id = $1 AND group_kind = $2 AND namespace = $3 AND group_name = $4`

type Of = Pick<ChangeDto, 'state' | 'clusterId' | 'groupKind' | 'namespace' | 'groupName'>

/** Null where it was not paused so, or was decided since. `words`: as the group says why it is held. */
export async function lateHold(change: Of, words: string | null): Promise<LateHold | null> {
  if (words !== SEEN_STORED || change.state !== 'waiting') return null
  const { clusterId, groupKind, namespace, groupName } = change
  const { rows } = await pool().query<LateHold>(BEGUN, [clusterId, groupKind, namespace, groupName])
  return rows[0] ?? null
}
