import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { policyOf } from '../policies/read-policies'
import { placeOf, type Place } from '../waves/place'

/** What somebody said of the waves that a change is in. */
export interface WaveWordSaid {
  what: 'begin' | 'begin-ended' | 'skip' | 'stop' | 'stop-ended' | 'word-ended'
  /** null: of all of them */
  wave: string | null
  by: string
  reason: string | null
  at: Date
  /** Of one that ended by itself: what it was, and whose. */
  ended?: { said: string; by: string }
  /** Said before the change was there, and counts for it. */
  before?: true
}

/** Somebody's word counts no more, and nobody took it back. */
export const WORD_ENDED = 'waves.word-ended'
const ACTIONS = ['waves.begin', 'waves.begin-ended', 'waves.skip', 'waves.stop', 'waves.stop-ended', WORD_ENDED]
/** The newest of them. */
const MOST = 50

type Of = Pick<Change, 'wave' | 'wish' | 'detectedAt' | 'finishedAt'>

/** The oldest first: what counted when the change came, and what was said while it was there. */
export async function saidOfWaves(row: Of): Promise<WaveWordSaid[]> {
  const [place, { wish }] = [placeOf(row.wave), row]
  if (!place || wish === null) return []
  return [...(await saidBefore(row, place, wish)), ...(await saidSince(row, place, wish))]
}

/** By the words themselves, which end when they are taken back, and lapse when their wave is written otherwise. */
async function saidBefore({ detectedAt }: Of, place: Place, wish: string): Promise<WaveWordSaid[]> {
  const [words, before] = [
    await db().waveWord.findMany({
      where: {
        ...{ policyId: place.policyId, wish, at: { lt: detectedAt } },
        AND: [
          { OR: [{ endedAt: null }, { endedAt: { gte: detectedAt } }] },
          { OR: [{ lapsedAt: null }, { lapsedAt: { gte: detectedAt } }] },
        ],
      },
      orderBy: { at: 'asc' },
    }),
    await wavesBefore(place),
  ]
  return words.flatMap(({ what, wave, actorName: by, reason, at }) => {
    const counts = what === 'begin' ? wave === place.name : what !== 'skip' || before.includes(wave)
    return counts ? [{ what: what as WaveWordSaid['what'], wave, by, reason, at, before: true as const }] : []
  })
}

/** Those that its own waits for, by their names as its policy writes them now. */
async function wavesBefore({ policyId, index }: Place): Promise<(string | null)[]> {
  const row = await db().rolloutPolicy.findUnique({ where: { id: policyId } })
  const { waves = 'none' } = (row && policyOf(row)?.spec) ?? {}
  return waves === 'none' ? [] : waves.slice(0, index).map(({ name }) => name)
}

/** By the audit: whether a wave begins is told of its own wave only. */
async function saidSince({ detectedAt, finishedAt }: Of, place: Place, wish: string): Promise<WaveWordSaid[]> {
  const rows = await db().auditEvent.findMany({
    where: {
      ...{ targetKind: 'RolloutPolicy', targetId: place.policyId, action: { in: ACTIONS }, result: 'ok' },
      details: { path: ['wish'], equals: wish },
      at: { gte: detectedAt, ...(finishedAt ? { lte: finishedAt } : {}) },
    },
    orderBy: { id: 'desc' },
    take: MOST,
    select: { action: true, at: true, actorName: true, reason: true, details: true },
  })
  return rows.reverse().flatMap(({ action, at, actorName: by, reason, details }) => {
    const what = action.slice('waves.'.length) as WaveWordSaid['what']
    const { wave = null, said = '', by: whose = '' } = details as { wave?: string; said?: string; by?: string }
    const ofBegin = what.startsWith('begin') || (what === 'word-ended' && said === 'begin')
    const ended = what === 'word-ended' ? { ended: { said, by: whose } } : {}
    return ofBegin && wave !== place.name ? [] : [{ what, wave, by, reason, at, ...ended }]
  })
}
