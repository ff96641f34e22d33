import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { LONG, useField } from './faults/field'
import { outages } from './faults/outages'
import { until } from './process'
import { uids, versionOf } from './suites/governing'
import { expectHeld } from './suites/watching'

/** Whatever of Drydock is gone: no machine moves that nobody approved, and what was approved goes on as it was approved. */
describe('outages on the real managers', () => {
  const f = useField()
  describe.each(outages(f))('$name', ({ strike, mend, stands }) => {
    let to: string

    test(
      'before the change: it is held all the same, and waits when Drydock is back',
      async () => {
        to = f.next()
        await strike()
        await f.changeAll(to)
        expectHeld(await f.g.deployment(f.w))
        expectHeld(await f.g.kcp(f.w))
        expectHeld(await f.g.kcp(f.surging))
        await f.nothingMoves()
        await mend()
        await f.waiting(to)
      },
      LONG,
    )

    test(
      'in the middle of the hold: it goes on being held',
      async () => {
        const before = (await f.waiting(to)).map((change) => change.id)
        await strike()
        await f.nudge()
        await f.nothingMoves()
        await mend()
        expect((await f.waiting(to)).map((change) => change.id)).toEqual(before)
      },
      LONG,
    )

    test(
      `in the middle of an approved rollout: ${stands ? 'what has not begun stays' : 'it goes on as approved'}, nothing is replaced, and afterwards it is done`,
      async () => {
        await f.approveBoth(to)
        await f.underWay(to, { controlPlane: true, workers: true })
        await strike()
        await f.onlyWhatWasApproved(to, stands)
        await mend()
        await f.bothInPlaceDone(to)
        await f.revertSurging()
      },
      LONG,
    )
  })

  test(
    'the managers restarted in the middle of a rollout: they ask again, and get the same answer',
    async () => {
      const { g, w } = f
      const to = await f.workersUnderWay()
      const { id } = await g.change(w, w.machineDeployment, ['approved', 'running', 'stuck'], to)
      const asked = async () => {
        const calls = await db().gateCall.findMany({ where: { changeId: id, hook: 'CanUpdateMachineSet' } })
        expect(calls.map((call) => call.answer).filter((answer) => answer !== 'in-place' && answer !== 'held')).toEqual(
          [],
        )
        return calls.filter((c) => c.answer === 'in-place').reduce((sum, call) => sum + call.count, 0)
      }
      await until('the first question to be on record', asked, { ms: 30_000 })
      const before = await asked()
      await f.cluster.restartManagers()
      await f.inPlaceDone(w.machineDeployment, to)
      expect(await asked()).toBeGreaterThan(before)
      await f.sameMachines()
    },
    LONG,
  )

  describe('the managers restarted while Drydock is down', () => {
    /** They cannot start without the gate's word on what it is asked, and are started again and again, as by a kubelet. */
    const restartedUntilTheyStand = async () => {
      await f.cluster.restartManagers().catch(() => undefined)
      await Promise.all(f.all.map((one) => f.g.nothingMoves(one)))
      await f.drydock.startWorkers()
      await f.cluster.restartManagers()
    }

    test(
      'with a change held: nothing moves, and it waits as before',
      async () => {
        const to = f.next()
        await f.changeAll(to)
        const before = (await f.waiting(to)).map((change) => change.id)
        await f.drydock.killWorkers()
        await restartedUntilTheyStand()
        await f.nudge()
        await f.nothingMoves()
        expect((await f.waiting(to)).map((change) => change.id)).toEqual(before)
        await f.approveBoth(to)
        await f.bothInPlaceDone(to)
        await f.revertSurging()
      },
      LONG,
    )

    test(
      'with a rollout half done: what was under way ends, what had not begun stays, and afterwards it goes on in place',
      async () => {
        const { g, w } = f
        const to = await f.workersUnderWay()
        await f.drydock.killWorkers()
        const before = uids(await g.machines(w))
        await restartedUntilTheyStand()
        expect(uids(await g.machines(w))).toEqual(before)
        await f.inPlaceDone(w.machineDeployment, to)
        expect(await f.count(false, (m) => versionOf(m) === to)).toBe(3)
        await f.sameMachines()
      },
      LONG,
    )
  })
})
