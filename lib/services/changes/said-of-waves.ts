import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { placeOf } from '../waves/place'

/** What somebody said of the waves that a change is in. */
export interface WaveWordSaid {
  what: 'begin' | 'begin-ended' | 'skip' | 'stop' | 'stop-ended'
  /** null: of all of them */
  wave: string | null
  by: string
  reason: string | null
  at: Date
}

const ACTIONS = ['waves.begin', 'waves.begin-ended', 'waves.skip', 'waves.stop', 'waves.stop-ended']
/** The newest of them. */
const MOST = 50

/** By the audit, the oldest first, while the change was there: whether a wave begins is told of its own wave only. */
export async function saidOfWaves(
  row: Pick<Change, 'wave' | 'wish' | 'detectedAt' | 'finishedAt'>,
): Promise<WaveWordSaid[]> {
  const place = placeOf(row.wave)
  if (!place || row.wish === null) return []
  const rows = await db().auditEvent.findMany({
    where: {
      ...{ targetKind: 'RolloutPolicy', targetId: place.policyId, action: { in: ACTIONS }, result: 'ok' },
      details: { path: ['wish'], equals: row.wish },
      at: { gte: row.detectedAt, ...(row.finishedAt ? { lte: row.finishedAt } : {}) },
    },
    orderBy: { id: 'desc' },
    take: MOST,
    select: { action: true, at: true, actorName: true, reason: true, details: true },
  })
  return rows.reverse().flatMap(({ action, at, actorName: by, reason, details }) => {
    const what = action.slice('waves.'.length) as WaveWordSaid['what']
    const { wave = null } = details as { wave?: string }
    return what.startsWith('begin') && wave !== place.name ? [] : [{ what, wave, by, reason, at }]
  })
}
