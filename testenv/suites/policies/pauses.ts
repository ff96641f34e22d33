import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { failure } from '../../deciding'
import { MD } from '../../held'
import { until } from '../../process'
import { ada, bo, FROZEN } from '../../timed'
import { op } from '../../waved'
import { OLD, uids, versionOf } from '../governing'
import { version } from '../turning'
import { annotation, expectFree, expectHeld } from '../watching'
import { NEW, type Topic } from './policing'

const SETS = { ...MD, plural: 'machinesets' }

/** What people stop, and let go on. */
export function pausesTopic({ g, of, times }: Topic): void {
  const long = times.deadlineMs * 2

  test(
    'paused in the middle: what is under way ends; the pause and a freeze do not release each other; resumed it goes on',
    async () => {
      const group = of('paused')
      const before = await g().members(group)
      const policy = await g().says([group], {})
      await g().write(group, version(NEW))
      const changeId = await g().goes(ada, group, NEW)
      await pauseChange(op, { changeId, reason: 'red' })
      await g().heldAgain(group, /^Stopped by Drydock: not now: paused by Op \(red\)/)
      await g().stays(group, NEW, OLD)
      await policy.now(FROZEN)
      await resumeChange(ada, { changeId })
      await g().stays(group, NEW, OLD)
      await pauseChange(op, { changeId })
      await policy.now({})
      await g().stays(group, NEW, OLD)
      expectHeld(await g().read(group), /not now/)
      expect((await failure(resumeChange(op, { changeId }))).code).toBe('forbidden')
      await resumeChange(bo, { changeId })
      expect(await g().endsInPlace(group, before, NEW)).toMatchObject({ id: changeId, pausedAt: null })
      expect(await db().approval.count({ where: { changeId } })).toBe(1)
    },
    long,
  )

  test(
    'paused while a machine moves to be updated in place: it is held when that one has begun, which then ends',
    async () => {
      const group = of('moving')
      const { namespace } = group.w
      const { admin } = g().cluster
      const before = await g().members(group)
      const old = before[0]!.metadata.ownerReferences!.find(({ kind }) => kind === 'MachineSet')!.name
      const setPaused = (paused: 'true' | null) =>
        admin.patch(SETS, old, namespace, 'merge', { metadata: { annotations: { [PAUSED]: paused } } })
      await setPaused('true')
      await g().write(group, version(NEW))
      const { changeId } = await g().approves(ada, group, { to: NEW })
      const chosen = async () => (await admin.get(SETS, old, namespace)).spec!.replicas === 1
      await until('the old machines to be scaled down', chosen, { ms: 30_000 })
      await pauseChange(op, { changeId, reason: 'red' })
      const marked = () => db().decision.count({ where: { changeId, awaitsTime: true } })
      await until('the pause to be heard', async () => (await marked()) === 1, { ms: 10_000 })
      expectFree(await g().read(group))
      await setPaused(null)
      await g().heldAgain(group, /not now: paused by Op \(red\)/)
      await g().stays(group, NEW, OLD)
      await resumeChange(ada, { changeId })
      await g().endsInPlace(group, before, NEW)
    },
    long,
  )

  test(
    'paused in the middle of replacing: the new one stays, no other is made or deleted, and resumed it ends as foretold',
    async () => {
      const group = of('replaced')
      const before = await g().members(group)
      // The new machine takes its time, so that there is something left to be held.
      const takes = (minReadySeconds: number) => g().write(group, { minReadySeconds })
      await takes(1_000_000)
      await g().write(group, version(NEW))
      const { changeId, error } = await g().approves(ada, group, { mode: 'replace' })
      expect(error).toBeNull()
      await g().begins(group, NEW)
      await pauseChange(op, { changeId, reason: 'red' })
      await g().heldAgain(group, /not now: paused by Op \(red\)/, 'replace')
      await g().stays(group, NEW, OLD)
      await takes(0)
      await g().stays(group, NEW, OLD)
      await resumeChange(ada, { changeId })
      const done = await g().change(group.w, group.name, ['done'], NEW)
      expect(done).toMatchObject({ id: changeId, outcome: { updatedInPlace: 0, created: 2, deleted: 2 } })
      const now = await g().members(group)
      expect(now.map(versionOf)).toEqual([NEW, NEW])
      expect(uids(now).filter((uid) => uids(before).includes(uid))).toEqual([])
    },
    long,
  )

  test(
    'ended in the middle: what is under way ends, the rest stays as it is, and nobody can resume it',
    async () => {
      const group = of('aborted')
      await g().write(group, version(NEW))
      const changeId = await g().goes(ada, group, NEW)
      await pauseChange(op, { changeId })
      const { fingerprint } = await g().heldAgain(group, /paused by Op/)
      await rejectChange(op, { changeId, fingerprint, reason: 'no more of it' })
      await g().stays(group, NEW, OLD)
      expectHeld(await g().read(group), 'no more of it')
      expect((await failure(resumeChange(ada, { changeId }))).code).toBe('conflict')
      expect(await g().change(group.w, group.name, ['rejected'])).toMatchObject({ id: changeId, dueMode: null })
      expect(await db().approval.count({ where: { changeId, endedAt: null } })).toBe(0)
    },
    long,
  )

  test(
    'somebody’s own pause stays when what waits under it is approved; taken back until then it is held as before; it goes when they take their pause away',
    async () => {
      const group = of('theirs')
      const before = await g().members(group)
      const pause = (value: string | null) => g().patch(group, { metadata: { annotations: { [PAUSED]: value } } })
      await pause('maintenance')
      const held = await g().write(group, version(NEW))
      expect([annotation(held, PAUSED), annotation(held, HELD)]).toEqual(['maintenance', expect.any(String)])
      expect(await g().approves(ada, group)).toMatchObject({ error: null })
      const free = async () => annotation(await g().read(group), HELD) === undefined
      await until('its hold to be gone', free, { ms: times.deadlineMs, every: 100 })
      const { id: changeId } = await g().change(group.w, group.name, ['approved', 'running'])
      await withdrawApproval(ada, { changeId })
      expect(await g().heldAgain(group, /Ada took the approval back/, null)).toMatchObject({ id: changeId })
      expect(await db().approval.count({ where: { changeId, endedAt: null } })).toBe(0)
      expect(await g().approves(ada, group)).toMatchObject({ error: null })
      await until('its hold to be gone again', free, { ms: times.deadlineMs, every: 100 })
      await g().stays(group, OLD, OLD)
      expect(annotation(await g().read(group), PAUSED)).toBe('maintenance')
      await pause(null)
      await g().endsInPlace(group, before, NEW)
    },
    long,
  )
}
