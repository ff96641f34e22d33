import type { Tx } from '@/lib/db/client'
import { placed, samePlace } from './place'
import type { Run } from './runs'
import { isOpen } from '../changes/states'

/** First and by itself: what was said while it waited counts. In the order in which people's words lock them. */
const LOCK = 'SELECT 1 FROM change WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE'

/** Only of what is as it was when it was looked at, which may be a moment ago, and by the very words of people that spoke then. */
const WRITE = `
UPDATE change SET wave = found.wave
FROM unnest($1::uuid[], $2::jsonb[], $3::text[], $4::text[], $5::jsonb[]) AS found (id, wave, state, words, before)
WHERE change.id = found.id AND change.state = found.state AND found.words = (
  SELECT coalesce(string_agg(w.id::text, ' ' ORDER BY w.id::text COLLATE "C"), '') FROM wave_word w
  WHERE w.policy_id = (found.wave->>'policyId')::uuid AND w.wish = change.wish AND w.ended_at IS NULL)
  AND found.before = CASE WHEN jsonb_typeof(change.wave) = 'object' THEN change.wave ELSE 'null' END
RETURNING change.id, change.cluster_id::text AS "clusterId"`

/** Id, place, state when it was looked at, which words spoke, and where it stood. */
export type Found = [id: string, place: string, state: string, words: string, before: string]

/** Changes that stand elsewhere in the run than is written with them: of one management cluster, or of all. */
export const misplaced = (run: Run, clusterId?: string): Found[] =>
  run.members.flatMap((member): Found[] => {
    const { change, wave } = member
    if ((clusterId && member.clusterId !== clusterId) || !change || !isOpen(change.state)) return []
    const place = placed(run, run.wavesFor(member), wave, change)
    const [before, words] = [JSON.stringify(change.place), run.words.join(' ')]
    return samePlace(change.place, place) ? [] : [[change.id, JSON.stringify(place), change.state, words, before]]
  })

/** Returns those that were written, in whatever cluster. */
export async function writePlaces(tx: Tx, found: readonly Found[]): Promise<{ id: string; clusterId: string }[]> {
  if (found.length === 0) return []
  const column = (n: number) => found.map((row) => row[n])
  await tx.$executeRawUnsafe(LOCK, column(0))
  return tx.$queryRawUnsafe(WRITE, column(0), column(1), column(2), column(3), column(4))
}
