import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { latchManifests } from '@/lib/domain/latch/manifests'
import { EXTENSION_CONFIG, GUARD_EXTENSION, HELD } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { LatchStatus } from '@/lib/services/latch/status'
import { IN_PROGRESS, LONG, TIMES, useField } from './faults/field'
import { admissionResource, applyLatch, STANDARD_LATCH } from './latch'
import { withoutInPlace } from './manager-gates'
import { until } from './process'
import { uids, versionOf } from './suites/governing'
import { EXTENSIONS, expectHeld, refusal } from './suites/watching'

const BINDINGS = { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'validatingadmissionpolicybindings' }

/** What administrators take away: refused, or noticed and repaired, and nothing moves that nobody approved. */
describe('administrators on the real managers', () => {
  const f = useField()
  let restoreGates: () => Promise<void>

  test(
    'the registration deleted: refused; with the guard gone first, the latch still holds',
    async () => {
      const { cluster, drydock, g, w } = f
      const to = f.next()
      await f.changeAll(to)
      await f.waiting(to)
      const remove = () => refusal(cluster.admin.delete(EXTENSIONS, EXTENSION_CONFIG))
      expect(await remove()).toMatchObject({
        code: 403,
        message: expect.stringContaining('Cluster API replaces machines unasked') as string,
      })
      // The keeper puts the guard back within a second, and the API server takes about as long to notice: again and again.
      const gone = async () => {
        await refusal(cluster.admin.delete(BINDINGS, GUARD_EXTENSION))
        return [200, 404].includes((await remove()).code)
      }
      await until('the registration to be deleted', gone, { ms: 60_000, every: 50 })
      await f.nudge()
      await f.nothingMoves(2 * TIMES.watchMs)
      const row = () => db().managementCluster.findUniqueOrThrow({ where: { id: g.clusterId } })
      await until('Drydock to say so', async () => (await row()).gateState === 'unregistered', { ms: 60_000 })
      // A change made now is held as well.
      const later = f.next()
      await g.changeWorkers(w, later)
      await g.change(w, w.machineDeployment, ['waiting'], later)
      await f.nothingMoves()

      await applyLatch(cluster.admin)
      await g.register(drydock.gateUrl)
      await Promise.all([
        g.approve(w, w.machineDeployment, 'in-place', later).then(() => f.inPlaceDone(w.machineDeployment, later)),
        g.approve(w, w.controlPlane, 'in-place', to).then(() => f.inPlaceDone(w.controlPlane, to)),
      ])
      await f.sameMachines()
      await f.revertSurging()
    },
    LONG,
  )

  describe('every object of the latch deleted', () => {
    const strike = async () => {
      for (const object of latchManifests(STANDARD_LATCH)) {
        const { name } = object.metadata as { name: string }
        await f.cluster.admin.delete(admissionResource(object), name)
      }
    }
    const repaired = () =>
      until(
        'the keeper to put it back',
        async () => {
          const { latchStatus } = await db().managementCluster.findUniqueOrThrow({ where: { id: f.g.clusterId } })
          return (latchStatus as unknown as LatchStatus).state === 'intact' && (await everyObject())
        },
        { ms: 90_000, every: 200 },
      )
    const everyObject = async () => {
      for (const object of latchManifests(STANDARD_LATCH))
        await f.cluster.admin.get(admissionResource(object), (object.metadata as { name: string }).name)
      return true
    }

    test(
      'with a change held: it stays held, what is changed meanwhile does not move either, and the latch is put back',
      async () => {
        const first = f.next()
        await f.changeAll(first)
        await f.waiting(first)
        await strike()
        const to = f.next()
        await f.changeAll(to)
        await f.nothingMoves()
        await repaired()
        await f.waiting(to)
        await f.nothingMoves()
        await f.approveBoth(to)
        await f.bothInPlaceDone(to)
        await f.revertSurging()
      },
      LONG,
    )

    test(
      'with a rollout half done: it goes on as approved, and the latch is put back',
      async () => {
        const to = f.next()
        await f.g.changeWorkers(f.w, to)
        await f.g.changeControlPlane(f.w, to)
        await f.approveBoth(to)
        await f.underWay(to, { controlPlane: true, workers: true })
        await strike()
        await f.onlyWhatWasApproved(to, false)
        await f.bothInPlaceDone(to)
        await repaired()
      },
      LONG,
    )
  })

  describe.each<[string, string, () => Promise<void>, () => Promise<void>]>([
    [
      'the registration deleted',
      'its registration is gone',
      () => f.unregister(),
      () => f.g.register(f.drydock.gateUrl),
    ],
    [
      'the managers’ feature gates switched off',
      'switched off',
      async () => void (restoreGates = await withoutInPlace(f.cluster.admin)),
      () => restoreGates(),
    ],
  ])('%s', (_, why, strike, mend) => {
    test(
      'in the middle of an in-place rollout: it is stopped, not replaced, and goes on when approved again',
      async () => {
        const { g, w } = f
        const to = f.next()
        await g.changeControlPlane(w, to)
        await g.approve(w, w.controlPlane, 'in-place', to)
        const begun = (m: KubeObject) => m.metadata.annotations?.[IN_PROGRESS] !== undefined
        await until('a machine to have begun', () => f.count(true, begun), { ms: TIMES.deadlineMs, every: 30 })
        await strike()
        const held = async () => (expectHeld(await g.kcp(w), 'Stopped by Drydock'), true)
        await until('the hold to be back', held, { ms: 60_000, every: 100 })
        expect((await g.kcp(w)).metadata.annotations?.[HELD]).toContain(why)
        await g.change(w, w.controlPlane, ['waiting'], to)
        await f.nudge()
        const end = Date.now() + 2 * TIMES.watchMs
        await until(
          'the time of watching to pass',
          async () => {
            expect(uids(await g.machines(w))).toEqual(uids(w.before))
            return Date.now() >= end
          },
          { ms: 120_000, every: 100, rethrow: true },
        )
        expect(await f.count(true, (m) => versionOf(m) !== to)).toBeGreaterThan(0)
        await mend()
        await g.approve(w, w.controlPlane, 'in-place', to)
        await g.change(w, w.controlPlane, ['done'], to)
        expect(await f.count(true, (m) => versionOf(m) === to)).toBe(3)
        await f.sameMachines()
      },
      LONG,
    )
  })
})
