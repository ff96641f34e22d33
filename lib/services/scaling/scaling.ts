import type { Tx } from '@/lib/db/client'

/** How far what a held group wants is carried through to its machine set, by the worker; times are ISO. */
export interface Scaling {
  set: string | null
  /** Replicas of that set before it was carried for the first time, and now. */
  from: number | null
  to: number | null
  at: string | null
  /** Why it is not, or does not come to anything; null: it is. */
  trouble: string | null
}

/** Whether any policy lets held groups scale: where none does, nothing has to be looked at. */
export async function anyScaling(tx: Tx): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM rollout_policy WHERE jsonb_typeof(spec) <> 'object' OR spec ? 'scaleWhileHeld' LIMIT 1`
  return rows.length > 0
}
