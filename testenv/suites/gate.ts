import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startReferenceUpdater, nodePatcher, type RunningUpdater } from '@/examples/updater'
import { db } from '@/lib/db/client'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import type { DecisionDto } from '@/lib/services/changes/change-row'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { systemCtx } from '@/lib/services/context'
import { registerGate } from '@/lib/services/gate/register-gate'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { startGate, type Gate } from '@/worker/gate'
import { makeAuthority, makeLeaf } from '@/worker/gate/certificates'
import { plannerConsumer } from '@/worker/planner'
import { startWorker, type Worker } from '@/worker/worker'
import { applyLatch, GOVERNED, untilLatched } from '../latch'
import { until } from '../process'
import type { TestCluster } from '../types'

const ctx = systemCtx('suite')
const MD = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }
const KCP = { group: 'controlplane.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmcontrolplanes' }
const names = (machines: KubeObject[]): string[] => machines.map((m) => m.metadata.name).sort()

export interface GateSuiteOptions {
  /** Long enough for the slowest rollout of three machines. */
  deadlineMs: number
  /** How long nothing may move before a hold is believed. */
  watchMs: number
}

/** Change, decision, rollout: what a person decides is what the managers do, and nothing else is. */
export function gateSuite(get: () => TestCluster, { deadlineMs, watchMs }: GateSuiteOptions): void {
  let gate: Gate
  let worker: Worker
  let updater: RunningUpdater | undefined
  let clusterId: string

  beforeAll(async () => {
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    const cluster = get()
    const name = `suite-${randomBytes(4).toString('hex')}`
    clusterId = (await addCluster(ctx, { name, kubeconfig: cluster.kubeconfig })).clusterId
    await db().policy.update({
      where: { clusterId },
      data: { governs: 'namespace-label', labelKey: Object.keys(GOVERNED)[0], labelValue: 'true' },
    })
    await applyLatch(cluster.admin)
    worker = await startWorker({ consumers: [plannerConsumer], parts: [] })
    if (!cluster.inPlace) return
    const authority = await makeAuthority()
    updater = await startReferenceUpdater({
      host: '127.0.0.1',
      port: 0,
      tls: await makeLeaf(authority, ['127.0.0.1', 'localhost']),
      delayMs: 500,
      onNode: nodePatcher(cluster.adminKubeconfig),
    })
    await addUpdater(ctx, { name, url: updater.url, caPem: authority.certPem, clusterId })
    await registerGate(ctx, { clusterId, url: gate.url })
    await until(
      'the managers to discover the gate',
      async () => {
        const found = await get().admin.get(
          { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' },
          'drydock',
        )
        return JSON.stringify(found.status ?? {}).includes('"updatemachine.drydock"')
      },
      { ms: 60_000, every: 100 },
    )
  })

  afterAll(async () => {
    await worker?.stop()
    await gate?.stop()
    await updater?.stop()
    await closeUpdaters()
    await closeClients()
  })

  const changeIn = async (namespace: string, groupName: string, states: string[], ms = deadlineMs) => {
    let found: Awaited<ReturnType<typeof read>> = null
    const read = () =>
      db().change.findFirst({
        where: { clusterId, namespace, groupName },
        orderBy: { detectedAt: 'desc' },
        include: { decisions: true },
      })
    await until(
      `${groupName} to be ${states.join(' or ')}`,
      async () => {
        found = await read()
        return found !== null && states.includes(found.state)
      },
      { ms, every: 100 },
    )
    return found!
  }

  const still = async (namespace: string, cluster: string, before: string[]) => {
    const end = Date.now() + watchMs
    while (Date.now() < end) {
      const now = await get().machines(namespace, cluster)
      expect(names(now)).toEqual(before)
      expect(now.every((m) => (m.spec as { version?: string }).version === 'v1.34.0')).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  const approvable = async (namespace: string, group: string, mode: 'in-place' | 'replace') => {
    const ready = async () => {
      const change = await changeIn(namespace, group, ['waiting'])
      return mode === 'replace' || (change.outlook as { inPlace: unknown }).inPlace !== null ? change : null
    }
    let change = await ready()
    await until('the updater to have been asked', async () => (change = await ready()) !== null, {
      ms: 20_000,
      every: 100,
    })
    const decided: DecisionDto = await approveChange(ctx, {
      changeId: change!.id,
      fingerprint: change!.fingerprint,
      mode,
    })
    expect(decided).toMatchObject({ state: expect.stringMatching(/accepted|seen/), error: null })
    return change!
  }

  const setup = async (name: string, options: Partial<Parameters<TestCluster['workloadCluster']>[0]>) => {
    const cluster = get()
    const namespace = await cluster.namespace(GOVERNED)
    const created = await cluster.workloadCluster({
      namespace,
      name,
      version: 'v1.34.0',
      controlPlane: { replicas: 1 },
      ...options,
    })
    await untilLatched(cluster.admin, namespace, created.machineDeployment)
    const machines = await cluster.machines(namespace, name)
    return { namespace, ...created, before: names(machines) }
  }

  const bump = (namespace: string, md: string) =>
    get().admin.patch(MD, md, namespace, 'merge', { spec: { template: { spec: { version: 'v1.34.1' } } } })

  describe('a MachineDeployment', () => {
    test('is held, then updated in place when approved so', async ({ skip }) => {
      if (!get().inPlace) skip()
      const c = await setup('gi', { workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } })
      await bump(c.namespace, c.machineDeployment)
      const waiting = await changeIn(c.namespace, c.machineDeployment, ['waiting'])
      expect(waiting).toMatchObject({ heldBy: 'latch', summary: 'v1.34.0 → v1.34.1', machines: 3 })
      await still(c.namespace, 'gi', c.before)
      await approvable(c.namespace, c.machineDeployment, 'in-place')
      const done = await changeIn(c.namespace, c.machineDeployment, ['done'])
      expect(done.outcome).toMatchObject({ updatedInPlace: 3, created: 0, deleted: 0 })
      expect(done.decisions[0]).toMatchObject({ state: 'seen' })
      expect(names(await get().machines(c.namespace, 'gi'))).toEqual(c.before)
    })

    test('is replaced when approved so', async () => {
      const c = await setup('gr', { workers: { replicas: 2 } })
      await bump(c.namespace, c.machineDeployment)
      await changeIn(c.namespace, c.machineDeployment, ['waiting'])
      await still(c.namespace, 'gr', c.before)
      await approvable(c.namespace, c.machineDeployment, 'replace')
      const done = await changeIn(c.namespace, c.machineDeployment, ['done'])
      expect(done.outcome).toMatchObject({ updatedInPlace: 0, created: 2, deleted: 2 })
    })

    test('stays as it is when rejected, says so on the object, and is let go when changed back', async () => {
      const c = await setup('gj', { workers: { replicas: 1 } })
      await bump(c.namespace, c.machineDeployment)
      const { id, fingerprint } = await changeIn(c.namespace, c.machineDeployment, ['waiting'])
      await rejectChange(ctx, { changeId: id, fingerprint, reason: 'not on a Friday' })
      await changeIn(c.namespace, c.machineDeployment, ['rejected'])
      const object = await get().admin.get(MD, c.machineDeployment, c.namespace)
      expect(object.metadata.annotations).toMatchObject({
        [PAUSED]: 'drydock',
        [HELD]: expect.stringContaining('not on a Friday'),
      })
      await still(c.namespace, 'gj', c.before)
      await get().admin.patch(MD, c.machineDeployment, c.namespace, 'merge', {
        spec: { template: { spec: { version: 'v1.34.0' } } },
      })
      await changeIn(c.namespace, c.machineDeployment, ['reverted'])
      await until(
        'the hold to be gone',
        async () =>
          !(PAUSED in ((await get().admin.get(MD, c.machineDeployment, c.namespace)).metadata.annotations ?? {})),
        { ms: 20_000, every: 100 },
      )
      await still(c.namespace, 'gj', c.before)
    })
  })

  describe.each([0, 1] as const)('a control plane of three with maxSurge %i', (maxSurge) => {
    test('is held without a surge machine, then updated in place', async ({ skip }) => {
      if (!get().inPlace) skip()
      const name = `gk${maxSurge}`
      const c = await setup(name, { controlPlane: { replicas: 3, maxSurge }, workers: { replicas: 1 } })
      await get().admin.patch(KCP, c.controlPlane, c.namespace, 'merge', { spec: { version: 'v1.34.1' } })
      await changeIn(c.namespace, c.controlPlane, ['waiting'])
      await still(c.namespace, name, c.before)
      await approvable(c.namespace, c.controlPlane, 'in-place')
      const done = await changeIn(c.namespace, c.controlPlane, ['done'])
      expect(done.outcome).toMatchObject({ updatedInPlace: 3 - maxSurge, created: maxSurge, deleted: maxSurge })
    })
  })
}
