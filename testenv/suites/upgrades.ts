import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { PAUSED } from '@/lib/domain/latch/names'
import { conditionsOf } from '@/lib/providers/cluster-api/conditions'
import { blockingHooks } from '@/lib/providers/cluster-api/upgrade'
import { approveChange } from '@/lib/services/changes/approve-change'
import type { Outlook } from '@/lib/domain/changes'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { calendarConsumer } from '@/worker/calendar'
import { startGate, type Gate } from '@/worker/gate'
import { latchWatchConsumer } from '@/worker/latch-watch'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from '../process'
import type { TestCluster } from '../types'
import { ctx, Governing, isControlPlane, OLD, versionOf, type Deadlines, type Workload } from './governing'
import { annotation, CLUSTER, expectFree, refusal } from './watching'
import { stopAfterwards } from './stop-afterwards'

const NEW = 'v1.34.1'
const MINE = 'before-upgrade.hook.cluster.cluster.x-k8s.io/tickets'
const UNSAFE = 'unsafe.topology.cluster.x-k8s.io/disable-update-version-check'
const PENDING = 'runtime.cluster.x-k8s.io/pending-hooks'

/**
 * The version of a managed Cluster: nothing of it is touched, nor paused, before it may go; then its groups in their order.
 * `watched`: Drydock watches and pauses besides, as where API servers were upgraded.
 */
export function upgradesSuite(get: () => TestCluster, times: Deadlines, watched = false): void {
  let g: Governing
  let gate: Gate
  let worker: Worker
  const long = times.deadlineMs * 4

  beforeAll(async () => {
    g = new Governing(get(), times)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    // The keeper is not part of this: that the latch is there is all that the planner needs to know.
    await g.latched(watched)
    await g.addUpdater(200)
    worker = await startWorker({
      consumers: [...(watched ? [latchWatchConsumer] : []), registrationConsumer, plannerConsumer, calendarConsumer],
      parts: [],
    })
    await g.register(gate.url)
  }, times.deadlineMs)

  stopAfterwards(() => [worker, gate, g])

  const made = async (name: string, rolls = { maxSurge: 0, maxUnavailable: 1 }): Promise<Workload> => {
    const w = await g.workload(name, { topology: true, workers: { replicas: 2, ...rolls } })
    await g.known(w)
    return w
  }
  const cluster = (w: Workload) => get().admin.get(CLUSTER, w.name, w.namespace)
  const write = (w: Workload, body: { metadata?: object; spec?: object }) =>
    get().admin.patch(CLUSTER, w.name, w.namespace, 'merge', JSON.parse(JSON.stringify(body)) as never)
  const wants = (w: Workload, version: string) => write(w, { spec: { topology: { version } } })
  const blocks = async (w: Workload, message: RegExp) => {
    const says = async () => blockingHooks(conditionsOf(await cluster(w))).some((hook) => message.test(hook.message))
    await until(`a hook of ${w.name} to say ${message}`, says, { ms: 60_000, every: 100 })
  }
  /** As it is before anything is handed down: neither its version nor a pause has come to the group. */
  const untouched = async (w: Workload) => {
    for (const group of [await g.kcp(w), await g.deployment(w)]) {
      expect(annotation(group, PAUSED)).toBeUndefined()
      expect(JSON.stringify(group.spec)).not.toContain(NEW)
    }
  }
  const approves = async (w: Workload, group: string, mode: 'in-place' | 'replace') => {
    const { id, fingerprint } = await g.approvable(w, group, mode)
    const decision = await approveChange(ctx, { changeId: id, fingerprint, mode, typedName: group })
    expect(decision).toMatchObject({ state: 'gathering', missing: 0, timing: { why: 'hook' } })
    return id
  }
  const handedDown = async (id: string) =>
    (
      await db().auditEvent.findMany({ where: { targetId: id, action: 'change.handed-down' }, orderBy: { id: 'asc' } })
    ).map(({ details }) => (details as { hook: string }).hook)

  describe.concurrent('upgrades of managed Clusters', () => {
    test(
      'wait at the hook, approved they go: the control plane, and after it the workers',
      async () => {
        const w = await made('ug')
        await write(w, { metadata: { annotations: { [MINE]: 'CHG-1' } } })
        await wants(w, NEW)
        for (const group of [w.controlPlane, w.machineDeployment])
          expect(await g.change(w, group, ['waiting'])).toMatchObject({
            heldBy: 'hook',
            fromVersion: OLD,
            toVersion: NEW,
          })
        await blocks(w, new RegExp(`annotation ${MINE} is set`))
        const workers = await approves(w, w.machineDeployment, 'in-place')
        const plane = await approves(w, w.controlPlane, 'replace')
        // Approved, and somebody else's hook holds it still.
        await g.nothingMoves(w)
        await untouched(w)
        await write(w, { metadata: { annotations: { [MINE]: null } } })
        expect((await g.change(w, w.controlPlane, ['done'])).id).toBe(plane)
        const done = await g.change(w, w.machineDeployment, ['done'])
        expect(done).toMatchObject({ id: workers, outcome: { updatedInPlace: 2, created: 0, deleted: 0 } })
        for (const group of [w.controlPlane, w.machineDeployment]) {
          const changes = await g.changes(w, group)
          expect(changes.flatMap(({ decisions }) => decisions.map(({ state }) => state))).toEqual(['seen'])
        }
        expect(await handedDown(plane)).toEqual(['BeforeClusterUpgrade', 'BeforeControlPlaneUpgrade'])
        expect(await handedDown(workers)).toEqual(['BeforeWorkersUpgrade'])
        const all = await g.machines(w)
        expect(all.map(versionOf)).toEqual(all.map(() => NEW))
        expectFree(await g.deployment(w))
        const over = async () => annotation(await cluster(w), PENDING) === undefined
        await until('the upgrade to be over', over, { ms: times.deadlineMs })
      },
      long,
    )

    test(
      'the workers wait at their hook when the control plane is through',
      async () => {
        const w = await made('uw')
        await wants(w, NEW)
        await blocks(w, /waiting for approval/)
        await approves(w, w.controlPlane, 'replace')
        await g.change(w, w.controlPlane, ['done'])
        const says = new RegExp(`drydock: ${w.machineDeployment}: waiting for approval`)
        await blocks(w, says)
        await g.nothingMoves(w)
        expect(annotation(await g.deployment(w), PAUSED)).toBeUndefined()
        expect((await g.machines(w)).filter((m) => !isControlPlane(m)).map(versionOf)).toEqual([OLD, OLD])
        await approves(w, w.machineDeployment, 'replace')
        expect(await g.change(w, w.machineDeployment, ['done'])).toMatchObject({ outcome: { created: 2, deleted: 2 } })
      },
      long,
    )

    test.each([
      ['a spare', 'us', { maxSurge: 0, maxUnavailable: 1 }, { maxSurge: 1, maxUnavailable: 0 }, 1],
      ['none', 'un', { maxSurge: 1, maxUnavailable: 0 }, { maxSurge: 0, maxUnavailable: 1 }, 0],
    ] as const)(
      'what its policy says of surge is foretold at the hook, and is what it goes as: %s',
      async (_what, name, own, says, spares) => {
        const w = await made(name, own)
        await savePolicy(ctx, {
          name: `surge-${randomUUID()}`,
          spec: { select: { names: [w.machineDeployment] }, ...says },
        })
        await wants(w, NEW)
        await blocks(w, /waiting for approval/)
        const { outlook } = await g.approvable(w, w.machineDeployment, 'in-place')
        expect((outlook as unknown as Outlook).inPlace).toMatchObject({ created: spares, deleted: spares })
        const id = await approves(w, w.machineDeployment, 'in-place')
        await approves(w, w.controlPlane, 'replace')
        expect(await g.change(w, w.machineDeployment, ['done'])).toMatchObject({
          ...{ id, outcome: { updatedInPlace: 2 - spares, created: spares, deleted: spares } },
        })
      },
      long,
    )

    test(
      'rejected it stays where it is; its version can be taken back by force only, and then nothing is left of it',
      async () => {
        const w = await made('ur')
        await wants(w, NEW)
        const { id, fingerprint } = await g.change(w, w.controlPlane, ['waiting'])
        await rejectChange(ctx, { changeId: id, fingerprint, reason: 'not this week' })
        await blocks(w, /rejected/)
        await g.nothingMoves(w)
        await untouched(w)
        expect(await refusal(wants(w, 'v1.34.2'))).toMatchObject({
          message: expect.stringContaining('was not propagated to control plane yet') as string,
        })
        await write(w, { metadata: { annotations: { [UNSAFE]: '' } }, spec: { topology: { version: OLD } } })
        await g.change(w, w.controlPlane, ['reverted'])
        await g.change(w, w.machineDeployment, ['reverted'])
        await g.nothingMoves(w)
        await untouched(w)
      },
      long,
    )
  })

  test(
    'while the gate is gone nothing is handed down, approved or not; when it is back it goes on',
    async () => {
      const w = await made('uf')
      await wants(w, NEW)
      await blocks(w, /waiting for approval/)
      const { port } = gate
      await gate.stop()
      await approves(w, w.controlPlane, 'replace')
      const failing = async () => /failed to call/.test(JSON.stringify((await cluster(w)).status?.conditions ?? []))
      await until('the hook to fail', failing, { ms: 60_000, every: 100 })
      await g.nothingMoves(w)
      await untouched(w)
      gate = await startGate({ host: '127.0.0.1', port, hosts: ['127.0.0.1'] })
      await g.change(w, w.controlPlane, ['done'])
    },
    long,
  )
}
