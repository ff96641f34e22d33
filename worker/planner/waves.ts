import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { isOpen, runsNow, type Run } from '@/lib/services/waves/runs'
import { tryRuns } from '@/lib/services/waves/words'
import { OPEN_SQL } from '@/lib/services/changes/states'
import { keptMembership } from '@/lib/services/waves/membership'
import { placed, samePlace } from '@/lib/services/waves/place'
import type { ClusterView } from '../types'
import { owned } from './common'

/** First and by itself: what was said while it waited counts. In the order in which people's words lock them. */
const LOCK = 'SELECT 1 FROM change WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE'

/** Only of what is as it was when it was looked at, and by the very words of people that spoke then. */
const WRITE = `
UPDATE change SET wave = found.wave
FROM unnest($1::uuid[], $2::jsonb[], $3::text[], $4::text[]) AS found (id, wave, state, words)
WHERE change.id = found.id AND change.state = found.state AND found.words = (
  SELECT coalesce(string_agg(w.id::text, ' ' ORDER BY w.id::text COLLATE "C"), '') FROM wave_word w
  WHERE w.policy_id = (found.wave->>'policyId')::uuid AND w.wish = change.wish AND w.ended_at IS NULL)
RETURNING change.id`

/**
 * What people said of a run ends an hour after it: the next time that the same is wanted, they are asked anew. Not while anything
 * is open that was in it, also where for a moment it is in no run: its policy is being written, or labels are not known.
 */
const OVER = `
UPDATE wave_word SET ended_at = now() WHERE ended_at IS NULL AND at < now() - interval '1 hour'
  AND NOT EXISTS (SELECT 1 FROM unnest($1::uuid[], $2::text[]) AS run (policy, wish)
    WHERE run.policy = wave_word.policy_id AND run.wish = wave_word.wish)
  AND NOT EXISTS (SELECT 1 FROM change WHERE change.wish = wave_word.wish
    AND (state IN (${OPEN_SQL}) AND wave->>'policyId' = wave_word.policy_id::text OR finished_at > now() - interval '1 hour'))`

/** So many runs at once: each of them is locked. */
const AT_ONCE = 100

/** Id, place, state when it was looked at, and which words spoke. */
type Found = [string, string, string, string]

/**
 * Says of each change of this cluster in which wave of its policy it is, and whether that is open: by all clusters together.
 * One that nobody has placed yet waits.
 */
export async function placeInWaves({ clusterId, fence }: ClusterView): Promise<void> {
  const runs = await runsNow(db(), keptMembership)
  const [policies, wishes] = [runs.map(({ policy }) => policy.id), runs.map(({ wish }) => wish)]
  await db().$executeRawUnsafe(OVER, policies, wishes)
  const wrong = runs.flatMap((run) => {
    const found = foundIn(run, clusterId)
    return found.length > 0 ? [{ policyId: run.policy.id, wish: run.wish, found }] : []
  })
  for (let i = 0; i < wrong.length; i += AT_ONCE) {
    const some = wrong.slice(i, i + AT_ONCE)
    await db().$transaction(async (tx) => {
      const free = await tryRuns(tx, some)
      const found = free.flatMap((run) => run.found)
      if (found.length === 0) return
      const column = (n: number) => found.map((row) => row[n])
      await owned(tx, { clusterId, fence })
      await tx.$executeRawUnsafe(LOCK, column(0))
      const rows = await tx.$queryRawUnsafe<{ id: string }[]>(WRITE, column(0), column(1), column(2), column(3))
      if (rows.length > 0) await announce(tx, { topic: 'changes', cluster: clusterId, ids: rows.map(({ id }) => id) })
    })
  }
}

/** Changes of this cluster that stand elsewhere in the run than is written with them. */
const foundIn = (run: Run, clusterId: string): Found[] =>
  run.members.flatMap((member): Found[] => {
    const { change, wave } = member
    if (member.clusterId !== clusterId || !change || !isOpen(change.state)) return []
    const place = placed(run, wave, change)
    return samePlace(change.place, place) ? [] : [[change.id, JSON.stringify(place), change.state, run.words.join(' ')]]
  })
