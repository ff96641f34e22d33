import { db } from '@/lib/db/client'
import type { Task } from './decider'
import type { Deciders } from './deciders'

/**
 * Killed at each thing that it sends, until it comes through, or `most` times; returns how often. `after` looks after each
 * kill. The claim of a dead one runs out at once, and another program takes up what it recorded.
 */
export async function killedAtEveryStep(
  deciders: Deciders,
  task: Omit<Task, 'kill'>,
  most: number,
  after: () => Promise<void>,
): Promise<number> {
  const { changeId } = task
  let [kills, n, recorded] = [0, 1, false]
  for (;;) {
    for (const when of ['before', 'after'] as const) {
      const kill = kills < most ? { n, when } : null
      if (!(await deciders.run({ ...task, kill }))) return kills
      kills++
      await after()
      const mine = { changeId, state: { in: ['recorded', 'applying'] } }
      const { count } = await db().decision.updateMany({ where: mine, data: { claimedUntil: new Date() } })
      if (count === 0 || recorded) continue
      // From here on another program takes it up, and is killed at each of its own steps.
      recorded = true
      n = 0
      break
    }
    n++
  }
}
