import { POOL } from '@/lib/domain/latch/hold'

const noneLacks = (c: string): string =>
  `NOT ${c}.outlook ? 'before' AND jsonb_typeof(${c}.outlook->'inPlace') = 'object' AND ${c}.outlook #> '{inPlace,counts,in-place}' IS NULL`

/** In SQL, of this change: as lib/domain/changes/moves-nobody.ts has it, but for what the cluster refused. */
export const movesNobodySql = (c: string): string =>
  `(${c}.group_kind = '${POOL}' AND ${c}.state IN ('waiting', 'rejected') AND ${c}.stopped_at IS NULL AND ${noneLacks(c)})`

/**
 * The same of what is over: no machine is known to have begun. Where nodes cannot be listed, that is said only where none lacked it.
 */
export const movedNobodySql = (c: string): string =>
  `coalesce(${c}.state = 'done' AND NOT EXISTS (SELECT 1 FROM machine_progress WHERE change_id = ${c}.id AND started_at IS NOT NULL)
    AND CASE WHEN ${c}.group_kind <> '${POOL}' THEN ${c}.outlook->'replicas' = '0' ELSE ${noneLacks(c)} OR EXISTS (SELECT 1 FROM machine_progress WHERE change_id = ${c}.id)
      OR EXISTS (SELECT 1 FROM config_node WHERE cluster_id = ${c}.cluster_id) END, false)`
