import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { isOpen, runsNow } from '@/lib/services/waves/runs'
import { keptMembership } from '@/lib/services/waves/membership'
import { placed, samePlace } from '@/lib/services/waves/place'
import type { ClusterView } from '../types'
import { owned } from './common'

/** First and by itself: what was said while it waited counts. In the order in which people's words lock them. */
const LOCK = 'SELECT 1 FROM change WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE'

/** Only of what is as it was when it was looked at, and by all that people have said until then. */
const WRITE = `
UPDATE change SET wave = found.wave
FROM unnest($1::uuid[], $2::jsonb[], $3::text[], $4::int[]) AS found (id, wave, state, words)
WHERE change.id = found.id AND change.state = found.state AND found.words = (
  SELECT count(*) FROM wave_word w WHERE w.policy_id = (found.wave->>'policyId')::uuid AND w.wish = change.wish
    AND w.ended_at IS NULL)
RETURNING change.id`

/** What people said of a run ends an hour after it: the next time that the same is wanted, they are asked anew. */
const OVER = `
UPDATE wave_word SET ended_at = now() WHERE ended_at IS NULL AND at < now() - interval '1 hour'
  AND NOT EXISTS (SELECT 1 FROM unnest($1::uuid[], $2::text[]) AS run (policy, wish)
    WHERE run.policy = wave_word.policy_id AND run.wish = wave_word.wish)
  AND NOT EXISTS (SELECT 1 FROM change WHERE change.wish = wave_word.wish AND finished_at > now() - interval '1 hour')`

/** Id, place, state when it was looked at, and how many words spoke. */
type Found = [string, string, string, number]

/**
 * Says of each change of this cluster in which wave of its policy it is, and whether that is open: by all clusters together.
 * One that nobody has placed yet waits.
 */
export async function placeInWaves({ clusterId, fence }: ClusterView): Promise<void> {
  const runs = await runsNow(db(), keptMembership)
  const [policies, wishes] = [runs.map(({ policy }) => policy.id), runs.map(({ wish }) => wish)]
  await db().$executeRawUnsafe(OVER, policies, wishes)
  const found = runs.flatMap((run) =>
    run.members.flatMap((member): Found[] => {
      const { change, wave } = member
      if (member.clusterId !== clusterId || !change || !isOpen(change.state)) return []
      const place = placed(run, wave, change)
      return samePlace(change.place, place) ? [] : [[change.id, JSON.stringify(place), change.state, run.words]]
    }),
  )
  if (found.length === 0) return
  await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    const column = (i: number) => found.map((row) => row[i])
    await tx.$executeRawUnsafe(LOCK, column(0))
    const rows = await tx.$queryRawUnsafe<{ id: string }[]>(WRITE, column(0), column(1), column(2), column(3))
    if (rows.length > 0) await announce(tx, { topic: 'changes', cluster: clusterId, ids: rows.map(({ id }) => id) })
  })
}
