import { afterEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { crooked, type Crooked, type Mode } from './faults/crooked'
import { IN_PROGRESS, LONG, TIMES, useField } from './faults/field'
import { until } from './process'
import { isControlPlane, uids, versionOf } from './suites/governing'

const MACHINES = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' }

/** The updater, or whoever deletes a machine, does what nobody expects in the middle of a rollout. */
describe('updaters and machines on the real managers', () => {
  let updater: Crooked
  const f = useField({ before: async (...given) => (updater = await crooked(...given)) })
  afterEach(() => updater?.answers('right'))

  const working = (m: KubeObject) => m.metadata.annotations?.[IN_PROGRESS] !== undefined
  const workersBegin = async (to: string) => {
    const { g, w } = f
    await g.changeWorkers(w, to)
    await g.approve(w, w.machineDeployment, 'in-place', to)
    await until('a machine to be worked on', () => f.count(false, working), { ms: TIMES.deadlineMs, every: 30 })
  }

  test.each<[string, Mode, boolean]>([
    ['fails', 'fails', true],
    ['hangs', 'hangs', true],
    ['answers twice', 'twice', false],
  ])(
    'the updater %s in the middle of a rollout: one machine waits, no other begins, none is replaced, and it goes on by itself',
    async (_, mode, stands) => {
      const to = f.next()
      // What nobody approved is beside it all the time.
      await f.g.changeControlPlane(f.surging, to)
      await workersBegin(to)
      updater.answers(mode)
      await f.onlyWhatWasApproved(to, false)
      if (stands) {
        expect(await f.count(false, working)).toBe(1)
        expect(await f.count(false, (m) => versionOf(m) !== to)).toBeGreaterThan(0)
        const { id: changeId } = await f.g.change(f.w, f.w.machineDeployment, ['running', 'stuck'], to)
        const wrong = { changeId, hook: 'UpdateMachine', answer: { in: ['held', 'failed'] } }
        await until('what it said to be on record', () => db().gateCall.count({ where: wrong }), { ms: 60_000 })
      }
      expect(updater.wrong()).toBeGreaterThan(0)
      updater.answers('right')
      await f.inPlaceDone(f.w.machineDeployment, to)
      await f.sameMachines()
      await f.revertSurging()
    },
    LONG,
  )

  describe.each<[string, (m: KubeObject) => boolean]>([
    ['that is worked on', working],
    ['that has not begun', (m) => !working(m)],
  ])('somebody deletes the machine %s', (_, which) => {
    test(
      'that one is made anew, the others are updated in place, and nothing else goes',
      async () => {
        const { g, w } = f
        const to = f.next()
        const before = (await g.machines(w)).filter((m) => !isControlPlane(m))
        await workersBegin(to)
        const workers = (await g.machines(w)).filter((m) => !isControlPlane(m))
        const victim = workers.find((m) => which(m) && (working(m) || versionOf(m) !== to))!
        await f.cluster.admin.delete(MACHINES, victim.metadata.name, w.namespace)
        const { outcome } = await g.change(w, w.machineDeployment, ['done'], to)
        const after = (await g.machines(w)).filter((m) => !isControlPlane(m))
        const kept = uids(before).filter((uid) => uid !== victim.metadata.uid)
        expect(uids(after)).toEqual(expect.arrayContaining(kept))
        expect(after.map(versionOf)).toEqual([to, to, to])
        // One that had not begun is made anew as it was, and then updated in place like the others.
        const { updatedInPlace, created, ...others } = outcome as unknown as Record<string, number>
        expect([updatedInPlace! + created!, others]).toMatchObject([3, { deleted: 1, byOthers: 1, failed: 0 }])
        w.before = await g.machines(w)
      },
      LONG,
    )
  })
})
