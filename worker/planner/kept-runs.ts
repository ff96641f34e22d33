import { db } from '@/lib/db/client'
import { endWords } from './end-words'
import { OPEN_SQL } from '@/lib/services/changes/states'
import { keptMembership } from '@/lib/services/waves/membership'
import { runsNow, type Run } from '@/lib/services/waves/runs'
import { settle } from '@/lib/services/waves/settle'
import { stopsAway } from '@/lib/services/waves/stops-away'

/** By which policy the group of a change was placed last: by that change, or before it, where nobody has placed it yet. */
const placedBy = (
  change: string,
): string => `(SELECT wave->>'policyId' FROM change placed WHERE placed.group_id = ${change}.group_id
  AND jsonb_typeof(wave) = 'object' AND placed.detected_at <= ${change}.detected_at ORDER BY placed.detected_at DESC LIMIT 1)`

/**
 * What people said of a run ends an hour after it: the next time that the same is wanted, they are asked anew. Not while anything
 * is open that was in it, also where for a moment it is in no run: its policy is being written, or labels are not known. Nor, that it
 * is stopped, while any of it was left with its cluster: connected again, it would go.
 */
const OVER = `
UPDATE wave_word SET ended_at = now() WHERE ended_at IS NULL AND at < now() - interval '1 hour'
  AND NOT EXISTS (SELECT 1 FROM unnest($1::uuid[], $2::text[]) AS run (policy, wish)
    WHERE run.policy = wave_word.policy_id AND run.wish = wave_word.wish)
  AND NOT EXISTS (SELECT 1 FROM change WHERE change.wish = wave_word.wish
    AND (state IN (${OPEN_SQL}) AND wave_word.policy_id::text = ${placedBy('change')} OR finished_at > now() - interval '1 hour'))
  AND id <> ALL($3::uuid[]) RETURNING id`

/** For good, once it is seen; by the policy as it is now, and not by one that was read before somebody spoke. */
const LAPSED = `
UPDATE wave_word SET lapsed_at = now() FROM unnest($1::uuid[], $2::int[]) AS found (id, version), rollout_policy AS policy
WHERE wave_word.id = found.id AND lapsed_at IS NULL AND policy.id = wave_word.policy_id AND policy.version = found.version
RETURNING wave_word.id`

/** Every run over all clusters; writes down what is seen to be through by now; and ends the words of those that are over, by runs that were read in this moment. */
export async function lookAtRuns(): Promise<Run[]> {
  // Before the rest, which is read in one moment: a cluster that is forgotten in between has its groups in one of them, or was left.
  const found = await keptMembership(db())
  const runs = await db().$transaction((tx) => runsNow(tx, () => Promise.resolve(found)), {
    isolationLevel: 'RepeatableRead',
  })
  const [policies, wishes] = [runs.map(({ policy }) => policy.id), runs.map(({ wish }) => wish)]
  await endWords('over', OVER, policies, wishes, await stopsAway(db(), runs))
  const lapsed = runs.flatMap(({ said, policy }) =>
    said.lapsed.map(({ id, why }) => ({ id, why, version: policy.version })),
  )
  const settles = runs.flatMap(({ members }) =>
    members.flatMap(({ settles: id, since }) => (id && since !== undefined ? [[id, new Date(since)] as const] : [])),
  )
  await settle(db(), settles)
  for (const cause of ['written', 'wanted'] as const) {
    const words = lapsed.filter(({ why }) => why === cause)
    if (words.length === 0) continue
    const [ids, versions] = [words.map(({ id }) => id), words.map(({ version }) => version)]
    await endWords(cause, LAPSED, ids, versions)
  }
  return runs
}

/** Policies as they are written, and what people said: where either is another one, nothing that was found before counts. */
const SAID = `
SELECT concat((SELECT string_agg(id || ' ' || version, ',' ORDER BY id) FROM rollout_policy), ';',
  (SELECT string_agg(concat(id, ' ', lapsed_at), ',' ORDER BY id) FROM wave_word WHERE ended_at IS NULL)) AS said`

/** Shorter than the rounds of one owner: none of them sees the same twice. */
const KEPT_MS = 1_000
let kept: { said: string; runs: Promise<Run[]>; until: number } | null = null

/**
 * The same, kept for a moment: the owners of twenty clusters ask it in one process, every two seconds each. Who asks while it
 * is being looked at gets that answer. What is written by it is written only where it still holds.
 */
export async function keptRuns(): Promise<Run[]> {
  const [now] = await db().$queryRawUnsafe<{ said: string }[]>(SAID)
  if (kept?.said === now!.said && Date.now() < kept.until) return kept.runs
  const asked = { said: now!.said, runs: lookAtRuns(), until: Infinity }
  kept = asked
  try {
    const runs = await asked.runs
    asked.until = Date.now() + KEPT_MS
    return runs
  } catch (error) {
    if (kept === asked) kept = null
    throw error
  }
}
