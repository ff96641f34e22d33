import { db } from '@/lib/db/client'
import { log } from '../log'
import { isPastTime } from './decisions'
import type { Subject } from './subject'

/** A round of the planner takes seconds. Nothing is kept in the middle by a hold that does not come. */
const MOST_MS = 20_000

const since = new Map<string, number>()

/**
 * Whether a machine that is through is not called so yet: its group may begin the next one by a yes that Cluster API remembers, its time
 * is over, and nothing holds it, as when a database answers again that was away at the end of its window. A control plane asks
 * about each.
 */
export async function waitsForHold(subject: Subject, now = Date.now()): Promise<boolean> {
  const { kind, clusterId, namespace, machine } = subject
  if (kind !== 'MachineDeployment') return false
  const key = `${clusterId} ${namespace}/${machine}`
  for (const [one, at] of since) if (now - at > 3 * MOST_MS) since.delete(one)
  if (now - (since.get(key) ?? now) >= MOST_MS || !(await isUnheld(subject))) return false
  since.set(key, since.get(key) ?? now)
  return true
}

/** What cannot be known keeps nothing in the middle. */
async function isUnheld(subject: Subject): Promise<boolean> {
  const { groupId: id, clusterId } = subject
  try {
    if (!(await isPastTime(subject))) return false
    return (await db().group.count({ where: { id, clusterId, held: null, paused: false } })) > 0
  } catch (err) {
    log.debug({ err, group: id }, 'whether a group is to be held could not be told; its machine is called done')
    return false
  }
}
