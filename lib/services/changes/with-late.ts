import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { ChangeOutcome } from './change-row'

interface Late {
  state: string
  finishedAt: Date | null
}

/** An outcome in which machines that were made, or updated, and count as failed by their policy (`late`) are those that failed. */
export function withLate(outcome: ChangeOutcome, late: readonly Late[]): ChangeOutcome {
  if (late.length === 0) return outcome
  const updated = late.filter(({ state }) => state === 'done').length
  // One that was never up was not counted as created.
  const created = late.filter(({ state, finishedAt }) => state === 'created' && finishedAt !== null).length
  return {
    ...outcome,
    updatedInPlace: Math.max(0, outcome.updatedInPlace - updated),
    created: Math.max(0, outcome.created - created),
    failed: outcome.failed + late.length,
  }
}

/** Of those that stopped: what was updated, or made, and failed since failures were accepted last. */
export async function failedOf(
  changes: readonly Pick<Change, 'id' | 'stoppedAt' | 'failuresFrom'>[],
): Promise<Map<string, Late[]>> {
  const stopped = changes.filter(({ stoppedAt }) => stoppedAt !== null)
  if (stopped.length === 0) return new Map()
  const rows = await db().machineProgress.findMany({
    where: {
      state: { in: ['done', 'created'] },
      OR: stopped.map(({ id, failuresFrom }) => ({
        changeId: id,
        failedAt: failuresFrom ? { gt: failuresFrom } : { not: null },
      })),
    },
    select: { changeId: true, state: true, finishedAt: true },
  })
  const found = new Map<string, Late[]>()
  for (const row of rows) found.set(row.changeId, [...(found.get(row.changeId) ?? []), row])
  return found
}
