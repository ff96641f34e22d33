import { db } from '@/lib/db/client'
import { HELD } from '@/lib/domain/latch/names'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { ada } from '../timed'
import { rulesOf } from './rules'
import type { Walk } from './walk'

/** What nobody did anything to for longer than Drydock takes. */
const QUIET_MS = 6_500

/** Nothing moved for a while: what is said of each group is true of its objects. */
export async function atRest(walk: Walk): Promise<void> {
  const { story, recorder, oracle, world } = walk
  const last = recorder.happened.at(-1)?.at ?? 0
  const at = Date.now()
  if (at - Math.max(last, story.now.to) < QUIET_MS + world.later(at)) return
  for (const { name } of walk.groups) {
    const { theirs, wants, paused } = story.now.groups[name]!
    const { policies } = story.now
    const members = recorder.members(name)
    const moving = members.some((m) => m.status?.phase !== 'Running' || m.metadata.deletionTimestamp)
    const rows = await db().change.findMany({
      where: { clusterId: world.g.clusterId, namespace: walk.namespace, groupName: name },
      orderBy: { detectedAt: 'desc' },
      take: 1,
    })
    const [row] = rows
    const held = recorder.isHeld(name)
    const all = members.every((machine) => recorder.keyOfMachine(machine) === wants)
    const words = recorder.read(name).metadata.annotations?.[HELD] ?? ''
    const state = row?.state ?? 'none'
    const say = (what: string) =>
      oracle.say(at, `at rest ${name} ${what} (state ${state}, held: ${held ? words : 'no'}, has all: ${all})`)
    if (['waiting', 'rejected'].includes(state) && !held && !theirs) say('waits and is not held')
    if (['running', 'stuck'].includes(state) && held) say('is under way and held')
    // Held, and not planned yet, is slow and no lie.
    if (['done', 'reverted', 'superseded'].includes(state) && !moving && (held || !all))
      say('is over, and is not as it wants to be')
    if (/not now: paused by/.test(words) && !paused) say('is said to be paused')
    if (/frozen by|outside the windows/.test(words) && rulesOf(policies, name).isOpen)
      say('is said to be out of its time')
    if (row) await getUpdate(ada, row.id)
  }
}
