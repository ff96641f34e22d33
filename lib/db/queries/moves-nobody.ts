import { POOL } from '@/lib/domain/latch/hold'

/** In SQL, of this change: as lib/domain/changes/moves-nobody.ts has it, but for what the cluster refused. */
export const movesNobodySql = (c: string): string =>
  `(${c}.group_kind = '${POOL}' AND ${c}.state IN ('waiting', 'rejected') AND ${c}.stopped_at IS NULL AND NOT ${c}.outlook ? 'before'
    AND jsonb_typeof(${c}.outlook->'inPlace') = 'object' AND ${c}.outlook #> '{inPlace,counts,in-place}' IS NULL)`
