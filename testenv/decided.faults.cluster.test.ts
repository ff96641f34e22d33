import { describe, expect, test } from 'vitest'
import { databaseUrl, db } from '@/lib/db/client'
import { approveChange } from '@/lib/services/changes/approve-change'
import { blockDecisions } from './faults/database-block'
import { LONG, useField } from './faults/field'
import { decisionOf, endClaims, expectAppliedOnce } from './faults/kept'
import { run } from './faults/processes'
import { Deciders } from './kills/deciders'
import { killedAtEveryStep } from './kills/killed'
import { ctx } from './suites/governing'
import { expectHeld } from './suites/watching'

/** Between a decision and its effect anything may happen: it is applied once, or not at all and says so. */
describe('decisions on the real managers', () => {
  const f = useField()

  /** A change of the workers that can be approved in place: the updater has been asked. */
  const approvable = async () => {
    const to = f.next()
    await f.g.changeWorkers(f.w, to)
    const { id, fingerprint } = await f.g.approvable(f.w, f.w.machineDeployment, 'in-place', to)
    return { to, id, fingerprint }
  }
  const appliedOnce = async (to: string, id: string) => {
    await f.inPlaceDone(f.w.machineDeployment, to)
    await expectAppliedOnce(f.cluster.admin, f.w.namespace, id, to)
    await f.sameMachines()
  }

  test.each([
    ['recorded and not yet taken up', 'applying', 'recorded'],
    ['released in the cluster and not yet written down', 'accepted', 'applying'],
  ] as const)(
    'killed (kill -9) with the decision %s: picked up on restart, applied exactly once',
    async (_, blocked, left) => {
      const { to, id, fingerprint } = await approvable()
      await f.drydock.killWorkers()
      const block = await blockDecisions(databaseUrl(), blocked)
      try {
        const verb = run(f.drydock.dir, `decide-${blocked}`, ['testenv/faults/decide.ts', id, fingerprint, 'in-place'])
        await block.reached()
        await verb.kill()
      } finally {
        await block.clear()
      }
      expect(await decisionOf(id)).toMatchObject({ state: left })
      if (left === 'recorded') {
        expectHeld(await f.g.deployment(f.w))
        await f.g.nothingMoves(f.w)
      }
      await endClaims(id)
      await f.drydock.startWorkers()
      await appliedOnce(to, id)
    },
    LONG,
  )

  test(
    'killed (kill -9) twenty times at everything that is sent between a decision and its effect: applied once, none lost',
    async () => {
      const deciders = new Deciders()
      try {
        for (let kills = 0; kills < 20;) {
          const { to, id, fingerprint } = await approvable()
          await f.drydock.killWorkers()
          const task = { changeId: id, fingerprint, mode: 'in-place' as const }
          kills += await killedAtEveryStep(deciders, task, 20 - kills, async () => {
            const { sentAt } = (await db().decision.findFirst({ where: { changeId: id } })) ?? { sentAt: null }
            if (sentAt === null) expectHeld(await f.g.deployment(f.w))
          })
          await f.drydock.startWorkers()
          await appliedOnce(to, id)
        }
      } finally {
        await deciders.stop()
      }
    },
    2 * LONG,
  )

  test(
    'two approvals in the same instant, one in place and one replacing: one of them holds, and only that happens',
    async () => {
      const { to, id, fingerprint } = await approvable()
      const both = await Promise.allSettled(
        (['in-place', 'in-place', 'replace'] as const).map((mode) =>
          approveChange(ctx, { changeId: id, fingerprint, mode }),
        ),
      )
      const decisions = await db().decision.findMany({ where: { changeId: id } })
      const letGo = decisions.filter(({ acceptedAt }) => acceptedAt !== null)
      expect(letGo).toHaveLength(1)
      for (const one of both)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' })
        else expect(one.value.mode).toBe(letGo[0]!.mode)
      const { outcome } = await f.g.change(f.w, f.w.machineDeployment, ['done'], to)
      expect(outcome).toMatchObject(
        letGo[0]!.mode === 'in-place'
          ? { updatedInPlace: 3, created: 0 }
          : { updatedInPlace: 0, created: 3, deleted: 3 },
      )
      f.w.before = await f.g.machines(f.w)
    },
    LONG,
  )

  test(
    'the desired state changed between the approval and the managers’ question: the new one is held, nothing of the old one moves',
    async () => {
      const { to, id, fingerprint } = await approvable()
      // Nobody answers the managers, so that they have asked nothing when it changes.
      await f.drydock.killAsked()
      await approveChange(ctx, { changeId: id, fingerprint, mode: 'in-place' })
      const later = f.next()
      expectHeld(await f.g.changeWorkers(f.w, later))
      await f.drydock.startAsked()
      const waiting = await f.g.change(f.w, f.w.machineDeployment, ['waiting'], later)
      expect(waiting.decisions).toEqual([])
      const before = (await f.g.changes(f.w, f.w.machineDeployment)).find((row) => row.id === id)!
      expect(before).toMatchObject({ state: 'superseded', toVersion: to, decisions: [{ state: 'voided' }] })
      await f.nudge()
      await f.nothingMoves()
      await f.g.approve(f.w, f.w.machineDeployment, 'in-place', later)
      await f.inPlaceDone(f.w.machineDeployment, later)
      await f.sameMachines()
    },
    LONG,
  )
})
