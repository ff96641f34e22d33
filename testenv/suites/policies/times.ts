import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { failure } from '../../deciding'
import { ada, bo, CLOSED, FROZEN, person } from '../../timed'
import { OLD } from '../governing'
import { version } from '../turning'
import { expectFree } from '../watching'
import { NEW, NEXT, OPEN, type Topic } from './policing'

/** When machines may move. */
export function timesTopic({ g, of, times }: Topic): void {
  const long = times.deadlineMs * 2

  test(
    'a window that closes in the middle: what is under way ends, the rest is held, and goes on by itself when it opens',
    async () => {
      const group = of('window')
      const before = await g().members(group)
      const policy = await g().says([group], OPEN)
      await g().write(group, version(NEW))
      const id = await g().goes(ada, group, NEW)
      await policy.now(CLOSED)
      await g().heldAgain(group, /^Stopped by Drydock: not now: outside the windows of the policy/)
      await g().stays(group, NEW, OLD)
      await policy.now(OPEN)
      const done = await g().endsInPlace(group, before, NEW)
      expect(done.id).toBe(id)
      // Approved once.
      expect(done.decisions.map(({ state, actorName }) => [state, actorName])).toEqual([
        ['seen', 'Ada'],
        ['voided', 'Ada'],
      ])
      expect(await db().approval.count({ where: { changeId: id } })).toBe(1)

      // The next one is frozen before it begins.
      await policy.now(FROZEN)
      await g().write(group, version(NEXT))
      const given = await g().approves(ada, group, { to: NEXT })
      expect(given).toMatchObject({ missing: 0, timing: { open: false, why: 'freeze' } })
      await g().stays(group, NEW, NEW)
      await policy.now({})
      await g().endsInPlace(group, before, NEXT)
    },
    long,
  )

  test(
    'in an emergency somebody lets one change go on outside its window, by name and with a reason; approvals it is none',
    async () => {
      const group = of('override')
      const before = await g().members(group)
      const policy = await g().says([group], CLOSED)
      await g().write(group, version(NEW))
      const { id: changeId, fingerprint } = await g().approvable(group.w, group.name, 'in-place')
      const wish = { changeId, fingerprint, reason: 'outage 7' }
      expect((await failure(overrideTimes(person('op', 'operator'), wish))).code).toBe('forbidden')
      expect((await failure(overrideTimes(bo, { ...wish, reason: ' ' }))).code).toBe('invalid')
      await overrideTimes(bo, wish)
      await g().stays(group, OLD, OLD)
      await g().goes(ada, group, NEW)
      // Another time that closes does not hold it either.
      await policy.now(FROZEN)
      const done = await g().endsInPlace(group, before, NEW)
      expect(done).toMatchObject({ id: changeId, overrideBy: 'Bo', overrideReason: 'outage 7' })
      expect(done.decisions).toMatchObject([{ state: 'seen', actorName: 'Ada' }])
      // The next one is frozen in the middle: let go on, it ends in the freeze.
      await policy.now(OPEN)
      await g().write(group, version(NEXT))
      const next = await g().goes(ada, group, NEXT)
      await policy.now(FROZEN)
      const held = await g().heldAgain(group, /^Stopped by Drydock: not now: frozen by the policy .* \(the sale\)/)
      await g().stays(group, NEW, NEXT)
      await overrideTimes(bo, { changeId: next, fingerprint: held.fingerprint, reason: 'outage 8' })
      expect(await g().endsInPlace(group, before, NEXT)).toMatchObject({ id: next, overrideReason: 'outage 8' })
      const said = { targetId: changeId, action: 'change.override', actorName: 'Bo', reason: 'outage 7' }
      expect(await db().auditEvent.count({ where: said })).toBe(1)
      expectFree(await g().read(group))
    },
    long,
  )
}
