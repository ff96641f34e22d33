import type { Change } from '@/lib/db/generated/client'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { approveChange } from '@/lib/services/changes/approve-change'
import { outlookIn } from '@/lib/services/changes/change-row'
import { nextMachine } from '@/lib/services/changes/next-machine'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { restoreTimes } from '@/lib/services/changes/restore-times'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import type { Ctx } from '@/lib/services/context'
import { forPeople, NOTHING, PEOPLE, type Action } from './action'
import { isApproved, NEW_WORDS, WAYS, type GroupWords, type Way } from './model'

export const approve =
  (how: { oneByOne?: boolean; way?: Way } = {}): Action =>
  async (walk) => {
    const { name, isPlane } = walk.anyGroup()
    const before = walk.story.now.groups[name]!.approvals
    const others = PEOPLE.filter(({ actor }) => !(actor.id in before))
    const who = walk.any(others.length > 0 && walk.chance(90) ? others : PEOPLE)
    const reason = walk.chance(60) ? 'as planned' : undefined
    const oneByOne = isPlane && (how.oneByOne ?? walk.chance(40))
    // Somebody who has patience looks until it is planned, and mostly wants what can be had.
    const found = await walk.planned(name, walk.chance(95) ? 12_000 : 0)
    if (!found) return NOTHING
    const offered = outlookIn(found.row).inPlace ? 'in-place' : 'replace'
    // Mostly the same as others, so that it is given in full.
    const way = how.way ?? (walk.chance(85) ? (Object.values(before)[0]?.way ?? offered) : walk.any<Way>(WAYS))
    walk.tell(
      `${who.actor.id} approves ${name} ${way}${reason ? ' with a reason' : ''}${oneByOne ? ', one by one' : ''}`,
    )
    const { id: changeId, fingerprint } = found.row
    const from = Date.now()
    await approveChange(who, {
      changeId,
      fingerprint,
      mode: way,
      reason,
      typedName: name,
      ...(oneByOne ? { oneByOne } : {}),
    })
    if (!found.isNow) return walk.tell('  of what it wanted before')
    walk.story.group(from, name, ({ approvals }) => {
      const now = { ...approvals, [who.actor.id]: { way, reason: !!reason, oneByOne } }
      const steps = Object.values(now).some((one) => one.way === way && one.oneByOne) ? 1 : null
      return { approvals: now, steps, rejected: false, tookBack: false }
    })
  }

export const withdraw: Action = async (walk) => {
  const { name, isPlane } = walk.anyGroup()
  const who = walk.any(PEOPLE.filter(({ actor }) => actor.id in walk.story.now.groups[name]!.approvals))
  const found = await walk.change(name)
  if (!found || !who) return NOTHING
  walk.tell(`${who.actor.id} takes the approval of ${name} back`)
  const from = Date.now()
  await withdrawApproval(who, { changeId: found.row.id })
  if (!found.isNow) return
  walk.story.group(from, name, (group) => {
    const { [who.actor.id]: _gone, ...approvals } = group.approvals
    return { approvals, forPeople: forPeople(group), tookBack: true }
  })
  const { now } = walk.story
  if (!WAYS.some((way) => isApproved(now, name, way, isPlane))) walk.oracle.against(name, now.groups[name]!.wants)
}

export const reject: Action = (walk) =>
  walk.says(
    'rejects',
    () => true,
    async (name, { row, isNow }) => {
      const from = Date.now()
      await rejectChange(walk.any(PEOPLE), { changeId: row.id, fingerprint: row.fingerprint, reason: 'no' })
      if (!isNow) return
      const { wants } = walk.story.now.groups[name]!
      walk.story.group(from, name, (group) => ({ ...NEW_WORDS, rejected: true, forPeople: forPeople(group) }))
      walk.oracle.against(name, wants)
    },
  )

/** Something that only sets a word of the group. */
const word =
  (
    what: string,
    may: (row: Change) => boolean,
    verb: (who: Ctx, row: Change) => Promise<void>,
    said: () => Partial<GroupWords>,
  ): Action =>
  (walk) =>
    walk.says(what, may, async (name, { row, isNow }) => {
      const from = Date.now()
      await verb(walk.any(PEOPLE), row)
      if (isNow) walk.story.group(from, name, said)
    })

export const pause = word(
  'pauses',
  ({ pausedAt }) => pausedAt === null,
  (who, { id: changeId }) => pauseChange(who, { changeId, reason: 'red' }),
  () => ({ paused: true }),
)
export const resume = word(
  'resumes',
  ({ pausedAt }) => pausedAt !== null,
  (who, { id: changeId, groupName: typedName }) => resumeChange(who, { changeId, typedName }),
  () => ({ paused: false }),
)
export const override = word(
  'does not wait for the time of',
  ({ overrideAt }) => overrideAt === null,
  (who, { id: changeId, fingerprint }) => overrideTimes(who, { changeId, fingerprint, reason: 'outage' }),
  () => ({ overridden: true }),
)
export const restore = word(
  'has the times hold again for',
  ({ overrideAt }) => overrideAt !== null,
  (who, { id: changeId }) => restoreTimes(who, { changeId }),
  () => ({ overridden: false }),
)

export const accept: Action = (walk) =>
  walk.says(
    'accepts failures of',
    ({ stoppedAt, settling }) => stoppedAt !== null || settling,
    async (name, { row }) => {
      const again = walk.chance(50)
      const from = Date.now()
      const input = {
        changeId: row.id,
        stoppedAt: row.stoppedAt?.toISOString() ?? null,
        asDone: row.settling,
        again,
        reason: 'fine',
      }
      await acceptFailures(walk.any(PEOPLE), input)
      walk.story.group(from, name, () => ({ acceptedAt: again ? from : Infinity }))
    },
  )

export const next: Action = (walk) =>
  walk.says(
    'lets the next machine go of',
    ({ stepWaitsAt }) => stepWaitsAt !== null,
    async (name, { row }) => {
      const all = walk.chance(50)
      const from = Date.now()
      await nextMachine(walk.any(PEOPLE), { changeId: row.id, done: row.stepsDone, all, typedName: row.groupName })
      walk.story.group(from, name, () => ({ steps: all ? null : 1 }))
    },
  )
