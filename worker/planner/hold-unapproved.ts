import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { NOT_NOW } from '@/lib/domain/latch/names'
import type { Unapproved } from '@/lib/domain/latch/unapproved'
import type { Resolved } from '@/lib/domain/policies'
import { ServiceError } from '@/lib/services/errors'
import { isUnguarded, takenWords } from '@/lib/services/changes/held-again'
import { differsUnheld, movingUnapproved } from '@/lib/services/changes/let-go-outside'
import { LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'
import type { Governed } from '@/lib/services/policies/rules-for'
import { closedWords, TIMED, timingOf, type Timed } from '@/lib/services/policies/timing'
import type { ClusterView } from '../types'
import { holdEach } from './holding'
import { knownMidway } from './midway'
import { AGAIN, isSettled, takenWhy } from './hold-again'
import { rulesOf } from './rules-of'
import { NOBODY_LET_GO, stop, type Running, type Stopping } from './stop'

/** What was midway, to be looked at again sooner than the rest. */
const midway = new WeakMap<ClusterView, Set<string>>()
export const awaitsMidway = (view: ClusterView): boolean => (midway.get(view)?.size ?? 0) > 0

/**
 * What moves although nobody approved it is held where a person here says so (there is no decision that could wait for its time),
 * and by itself where no guard says who may take a hold away, or where nothing held a change of what the group was known to be
 * let go with. `begun` is called once all are being held. Throws where one could not be.
 */
export async function holdUnapproved(view: ClusterView, begun: () => void): Promise<void> {
  const { clusterId } = view
  const running = await db().change.findMany({
    where: { clusterId, state: { in: UNDER_WAY }, settling: false, decisions: { none: LETS_GO } },
    select: {
      ...{ id: true, groupId: true, groupKind: true, groupName: true, namespace: true, digest: true },
      ...{ clusterId: true, workloadCluster: true, heldBy: true, detectedAt: true, ...TIMED },
    },
  })
  const moving = await movingUnapproved(
    db(),
    running.map(({ id }) => id),
  )
  const waits = midway.get(view) ?? new Set<string>()
  midway.set(view, waits)
  waits.clear()
  if (moving.size === 0) return begun()
  const now = await databaseNow(db())
  const held = holdEach(view, running, 'unapproved rollouts could not be held', async (change) => {
    const why = moving.get(change.id)
    const how = why && (await howHeld(view, change, why, now))
    if (!how) return
    if (await knownMidway(view, change)) return void waits.add(change.id)
    await stop(view, change, how.why, how)
  })
  begun()
  await held
}

type Moving = Running & Governed & Timed & { digest: string; heldBy: string; detectedAt: Date }

/** What was approved before its cluster was disconnected goes on, and in its times. What cannot be known stops nothing that runs. */
async function rulesOfLeft(change: Governed): Promise<Partial<Resolved>> {
  const [rules] = await rulesOf([change])
  return rules instanceof ServiceError ? {} : rules!
}

/** Whoever paused it may have let it go on since. */
async function mayGoOn(id: string, rules: Partial<Resolved>): Promise<boolean> {
  const now = await db().change.findUnique({ where: { id }, select: TIMED })
  return now !== null && timingOf(rules, now, await databaseNow(db())).open
}

/** By a person's pause, or by itself; null: it goes on, and everybody is told. */
async function howHeld(
  view: ClusterView,
  change: Moving,
  unapproved: Unapproved,
  now: Date,
): Promise<({ why: string } & Stopping) | null> {
  const { groupId, digest } = change
  const rules = unapproved === 'left' ? await rulesOfLeft(change) : {}
  const timing = timingOf(rules, change, now)
  const isPast = isSettled(view.clusterId, change)
  const byItself = async (): Promise<boolean> => {
    if (unapproved === 'left') return false
    return unapproved === 'never-held' || unapproved === 'by-date'
      ? differsUnheld(groupId, digest)
      : isUnguarded(view.capabilities, groupId)
  }
  if (!timing.open)
    return {
      why: `${NOT_NOW}${closedWords(timing)}`,
      // Whoever lets it go on lets go only what would not be held by itself then.
      isPast: async (object) => ((await mayGoOn(change.id, rules)) && !(await byItself())) || isPast(object),
    }
  if (!(await byItself())) return null
  if (unapproved === 'by-date') return { why: NOBODY_LET_GO.byDate, isPast }
  if (unapproved === 'never-held') return { why: NOBODY_LET_GO.neverHeld, isPast }
  if (unapproved === 'disconnect') return { why: NOBODY_LET_GO.disconnected, isPast }
  return { why: await takenWhy(change), isPast, as: { ...AGAIN, reason: await takenWords(change) } }
}
