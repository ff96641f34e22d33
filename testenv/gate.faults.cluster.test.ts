import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseUrl, db } from '@/lib/db/client'
import { EXTENSION_CONFIG, GUARD_EXTENSION, HELD, RELEASE } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { closeClients } from '@/lib/services/clusters/connection'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { blockDecisions } from './faults/database-block'
import { Installation } from './faults/installation'
import { run } from './faults/processes'
import { applyLatch } from './latch'
import { withoutInPlace } from './manager-gates'
import { until } from './process'
import { realTestCluster } from './real'
import { Governing, isControlPlane, OLD, uids, versionOf, type Workload } from './suites/governing'
import { EXTENSIONS, expectFree, expectHeld, KCP, MD, refusal } from './suites/watching'
import type { RealTestCluster } from './test-cluster'

const TIMES = { deadlineMs: 240_000, watchMs: 6_000 }
const LONG = 600_000
const IN_PROGRESS = 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress'
const BINDINGS = { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'validatingadmissionpolicybindings' }

/** Whatever of Drydock is gone: no machine moves that nobody approved, and what was approved goes on as it was approved. */
describe('faults on the real managers', () => {
  const drydock = new Installation()
  let cluster: RealTestCluster
  let g: Governing
  /** Three control plane machines and three workers, updated in place one by one, without surge. */
  let w: Workload
  /** Three control plane machines with surge: an unheld change would show in a second. */
  let surging: Workload
  let restoreGates: () => Promise<void>
  let version = 0
  const next = () => `v1.34.${++version}`
  const all = () => [w, surging]

  beforeAll(async () => {
    cluster = await realTestCluster()
    await drydock.start()
    g = new Governing(cluster, TIMES)
    await g.connect()
    await g.addUpdater(2_500)
    await g.register(drydock.gateUrl)
    ;[w, surging] = await Promise.all([
      g.workload('fw', {
        controlPlane: { replicas: 3, maxSurge: 0 },
        workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 },
      }),
      g.workload('fs', { controlPlane: { replicas: 3, maxSurge: 1 } }),
    ])
  }, LONG)

  afterAll(async () => {
    await drydock.stop()
    await g?.stop()
    await closeUpdaters()
    await closeClients()
    await cluster?.stop()
  }, 120_000)

  const groups = (): [Workload, string][] => [
    [w, w.machineDeployment],
    [w, w.controlPlane],
    [surging, surging.controlPlane],
  ]
  const changeAll = async (to: string) => {
    await g.changeWorkers(w, to)
    await g.changeControlPlane(w, to)
    await g.changeControlPlane(surging, to)
  }
  const nothingMoves = () => Promise.all(all().map((one) => g.nothingMoves(one)))
  const waiting = (to: string) => Promise.all(groups().map(([one, group]) => g.change(one, group, ['waiting'], to)))
  /** Makes the controllers look, and ask, again. */
  const nudge = async () => {
    const metadata = { annotations: { nudged: String(Date.now()) } }
    await cluster.admin.patch(MD, w.machineDeployment, w.namespace, 'merge', { metadata })
    for (const one of all()) await cluster.admin.patch(KCP, one.controlPlane, one.namespace, 'merge', { metadata })
  }
  const count = async (which: boolean, what: (m: KubeObject) => boolean) =>
    (await g.machines(w)).filter((m) => isControlPlane(m) === which && what(m)).length
  const inPlaceDone = async (group: string, to: string) =>
    expect((await g.change(w, group, ['done'], to)).outcome).toMatchObject({
      ...{ updatedInPlace: 3, created: 0, deleted: 0 },
    })
  /** Both groups have begun, and neither is through. */
  const underWay = async (to: string) => {
    const begun = (m: KubeObject) => versionOf(m) === to
    await until(
      'both rollouts to be under way',
      async () => (await count(true, begun)) > 0 && (await count(false, begun)) > 0,
      { ms: TIMES.deadlineMs, every: 50 },
    )
  }
  /** The same machines to the last, none of them going, and in both groups some that have not begun. */
  const onlyWhatHadBegun = async (to: string) => {
    const before = uids(await g.machines(w))
    const shape = async () => (await g.machines(surging)).map((m) => `${m.metadata.uid} ${versionOf(m)}`).sort()
    const held = await shape()
    const end = Date.now() + 2 * TIMES.watchMs
    await until(
      'the time of watching to pass',
      async () => {
        expect(await shape()).toEqual(held)
        const now = await g.machines(w)
        expect(uids(now)).toEqual(before)
        expect(now.filter((m) => m.metadata.deletionTimestamp)).toEqual([])
        return Date.now() >= end
      },
      { ms: 120_000, every: 100, rethrow: true },
    )
    const old = (m: KubeObject) => versionOf(m) !== to
    expect(await count(true, old)).toBeGreaterThan(0)
    expect(await count(false, old)).toBeGreaterThan(0)
  }
  const revertSurging = async () => {
    await g.changeControlPlane(surging, OLD)
    await until('the hold to be gone', async () => (expectFree(await g.kcp(surging)), true), { ms: TIMES.deadlineMs })
    expect(uids(await g.machines(surging))).toEqual(uids(surging.before))
  }

  describe.each<[string, () => Promise<void>, () => Promise<void>]>([
    ['both workers killed (kill -9)', () => drydock.killWorkers(), () => drydock.startWorkers()],
    ['the database stopped', () => drydock.stopDatabase(), () => drydock.startDatabase()],
    ['the gate killed (kill -9) while another worker lives', () => drydock.killAsked(), () => drydock.startAsked()],
  ])('%s', (_, strike, mend) => {
    let to: string

    test(
      'before the change: it is held all the same, and waits when Drydock is back',
      async () => {
        to = next()
        await strike()
        await changeAll(to)
        expectHeld(await g.deployment(w))
        expectHeld(await g.kcp(w))
        expectHeld(await g.kcp(surging))
        await nothingMoves()
        await mend()
        await waiting(to)
      },
      LONG,
    )

    test(
      'in the middle of the hold: it goes on being held',
      async () => {
        const before = (await waiting(to)).map((change) => change.id)
        await strike()
        await nudge()
        await nothingMoves()
        await mend()
        expect((await waiting(to)).map((change) => change.id)).toEqual(before)
      },
      LONG,
    )

    test(
      'in the middle of an approved rollout: what has not begun stays, nothing is replaced, and afterwards it goes on',
      async () => {
        await Promise.all([
          g.approve(w, w.machineDeployment, 'in-place', to),
          g.approve(w, w.controlPlane, 'in-place', to),
        ])
        await underWay(to)
        await strike()
        await onlyWhatHadBegun(to)
        await mend()
        await Promise.all([inPlaceDone(w.machineDeployment, to), inPlaceDone(w.controlPlane, to)])
        expect(uids(await g.machines(w))).toEqual(uids(w.before))
        await revertSurging()
      },
      LONG,
    )
  })

  test(
    'the managers restarted in the middle of a rollout: they ask again, and get the same answer',
    async () => {
      const to = next()
      await g.changeWorkers(w, to)
      await g.approve(w, w.machineDeployment, 'in-place', to)
      await until('the rollout to begin', () => count(false, (m) => versionOf(m) === to), {
        ms: TIMES.deadlineMs,
        every: 50,
      })
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
      await cluster.restartManagers()
      await inPlaceDone(w.machineDeployment, to)
      expect(await asked()).toBeGreaterThan(before)
      expect(uids(await g.machines(w))).toEqual(uids(w.before))
    },
    LONG,
  )

  test(
    'the registration deleted by an administrator: refused; with the guard gone first, the latch still holds',
    async () => {
      const to = next()
      await changeAll(to)
      await waiting(to)
      const remove = () => refusal(cluster.admin.delete(EXTENSIONS, EXTENSION_CONFIG))
      expect(await remove()).toMatchObject({
        code: 403,
        message: expect.stringContaining('Cluster API replaces machines unasked') as string,
      })
      await cluster.admin.delete(BINDINGS, GUARD_EXTENSION)
      await until('the registration to be deleted', async () => [200, 404].includes((await remove()).code), {
        ms: 30_000,
      })
      await nudge()
      await Promise.all(all().map((one) => g.nothingMoves(one, 2 * TIMES.watchMs)))
      const row = () => db().managementCluster.findUniqueOrThrow({ where: { id: g.clusterId } })
      await until('Drydock to say so', async () => (await row()).gateState === 'unregistered', { ms: 60_000 })
      // A change made now is held as well.
      const later = next()
      await g.changeWorkers(w, later)
      await g.change(w, w.machineDeployment, ['waiting'], later)
      await nothingMoves()

      await applyLatch(cluster.admin)
      await g.register(drydock.gateUrl)
      await Promise.all([
        g.approve(w, w.machineDeployment, 'in-place', later).then(() => inPlaceDone(w.machineDeployment, later)),
        g.approve(w, w.controlPlane, 'in-place', to).then(() => inPlaceDone(w.controlPlane, to)),
      ])
      expect(uids(await g.machines(w))).toEqual(uids(w.before))
      await revertSurging()
    },
    LONG,
  )

  const EVERY_MS = { ms: 60_000, every: 100 }
  describe.each<[string, string, () => Promise<void>, () => Promise<void>]>([
    [
      'the registration deleted',
      'its registration is gone',
      async () => {
        const metadata = { annotations: { [RELEASE]: 'by mistake' } }
        await cluster.admin.patch(EXTENSIONS, EXTENSION_CONFIG, undefined, 'merge', { metadata })
        await cluster.admin.delete(EXTENSIONS, EXTENSION_CONFIG)
      },
      () => g.register(drydock.gateUrl),
    ],
    [
      'the managers’ feature gates switched off',
      'switched off',
      async () => void (restoreGates = await withoutInPlace(cluster.admin)),
      () => restoreGates(),
    ],
  ])('%s', (_, why, strike, mend) => {
    test(
      'in the middle of an in-place rollout: it is stopped, not replaced, and goes on when approved again',
      async () => {
        const to = next()
        await g.changeControlPlane(w, to)
        await g.approve(w, w.controlPlane, 'in-place', to)
        const begun = (m: KubeObject) => m.metadata.annotations?.[IN_PROGRESS] !== undefined
        await until('a machine to have begun', () => count(true, begun), { ms: TIMES.deadlineMs, every: 30 })
        await strike()
        await until(
          'the hold to be back',
          async () => (expectHeld(await g.kcp(w), 'Stopped by Drydock'), true),
          EVERY_MS,
        )
        expect((await g.kcp(w)).metadata.annotations?.[HELD]).toContain(why)
        await g.change(w, w.controlPlane, ['waiting'], to)
        await nudge()
        const end = Date.now() + 2 * TIMES.watchMs
        await until(
          'the time of watching to pass',
          async () => {
            expect(uids(await g.machines(w))).toEqual(uids(w.before))
            return Date.now() >= end
          },
          { ms: 120_000, every: 100, rethrow: true },
        )
        expect(await count(true, (m) => versionOf(m) !== to)).toBeGreaterThan(0)
        await mend()
        await g.approve(w, w.controlPlane, 'in-place', to)
        await g.change(w, w.controlPlane, ['done'], to)
        expect(await count(true, (m) => versionOf(m) === to)).toBe(3)
        expect(uids(await g.machines(w))).toEqual(uids(w.before))
      },
      LONG,
    )
  })

  test.each([
    ['recorded and not yet taken up', 'applying', 'recorded'],
    ['released in the cluster and not yet written down', 'accepted', 'applying'],
  ] as const)(
    'killed (kill -9) with the decision %s: picked up on restart, applied exactly once',
    async (_, blocked, left) => {
      const to = next()
      await g.changeWorkers(w, to)
      // The updater has been asked before everybody is killed.
      const { id, fingerprint } = await g.approvable(w, w.machineDeployment, 'in-place', to)
      await drydock.killWorkers()
      const block = await blockDecisions(databaseUrl(), blocked)
      const verb = run(drydock.dir, `decide-${blocked}`, ['testenv/faults/decide.ts', id, fingerprint, 'in-place'])
      await block.reached()
      await verb.kill()
      await block.clear()
      const decision = () => db().decision.findFirstOrThrow({ where: { changeId: id } })
      expect(await decision()).toMatchObject({ state: left })
      if (left === 'recorded') {
        expectHeld(await g.deployment(w))
        await g.nothingMoves(w)
      }
      // Its claim runs out by itself; nobody has to wait for that here.
      await db().decision.updateMany({ where: { changeId: id, state: 'applying' }, data: { claimedUntil: new Date() } })
      await drydock.startWorkers()
      await inPlaceDone(w.machineDeployment, to)
      expect(await decision()).toMatchObject({ state: 'seen', error: null })
      const accepted = await db().auditEvent.count({ where: { action: 'decision.accepted', targetId: id } })
      expect(accepted).toBe(1)
      const events = await cluster.admin.list({ group: '', version: 'v1', plural: 'events' }, w.namespace)
      const released = events.items.filter((e) => JSON.stringify(e).includes(`→ ${to}: approved in place`))
      expect(released).toHaveLength(1)
      expect(uids(await g.machines(w))).toEqual(uids(w.before))
    },
    LONG,
  )
})
