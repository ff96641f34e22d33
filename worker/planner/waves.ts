import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { isOpen, runsNow } from '@/lib/services/waves/runs'
import { keptMembership } from '@/lib/services/waves/membership'
import { placed, samePlace } from '@/lib/services/waves/place'
import type { ClusterView } from '../types'
import { owned } from './common'

const WRITE = `
UPDATE change SET wave = found.wave FROM unnest($1::uuid[], $2::jsonb[]) AS found (id, wave)
WHERE change.id = found.id AND change.wave IS DISTINCT FROM found.wave
  AND change.state IN ('waiting', 'rejected', 'approved', 'running', 'stuck')
RETURNING change.id`

/** What people said of a run ends with it: the next time that the same is wanted, they are asked anew. */
const OVER = `
UPDATE wave_word SET ended_at = now() WHERE ended_at IS NULL AND at < now() - interval '1 hour'
  AND NOT EXISTS (SELECT 1 FROM unnest($1::uuid[], $2::text[]) AS run (policy, wish)
    WHERE run.policy = wave_word.policy_id AND run.wish = wave_word.wish)`

/**
 * Says of each change of this cluster in which wave of its policy it is, and whether that is open: by all clusters together.
 * One that nobody has placed yet waits.
 */
export async function placeInWaves({ clusterId, fence }: ClusterView): Promise<void> {
  const runs = await runsNow(db(), keptMembership)
  const [policies, wishes] = [runs.map(({ policy }) => policy.id), runs.map(({ wish }) => wish)]
  await db().$executeRawUnsafe(OVER, policies, wishes)
  const found = runs.flatMap((run) =>
    run.members.flatMap((member): [string, string][] => {
      const { change, wave } = member
      if (member.clusterId !== clusterId || !change || !isOpen(change.state)) return []
      const place = placed(run, wave, change.state)
      return samePlace(change.place, place) ? [] : [[change.id, JSON.stringify(place)]]
    }),
  )
  if (found.length === 0) return
  await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    const [ids, waves] = [found.map(([id]) => id), found.map(([, wave]) => wave)]
    const rows = await tx.$queryRawUnsafe<{ id: string }[]>(WRITE, ids, waves)
    if (rows.length > 0) await announce(tx, { topic: 'changes', cluster: clusterId, ids: rows.map(({ id }) => id) })
  })
}
