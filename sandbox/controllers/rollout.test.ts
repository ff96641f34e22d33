import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setTimeout as wait } from 'node:timers/promises'
import type { WorkloadClusterOptions } from '../../testenv/types'
import { sandboxTestCluster, type SandboxTestCluster } from '../test-cluster'
import { ADMIN, EXTENSIONS, scriptedExtension } from '../testing/extension'
import { until } from '../testing/until'
import { conditionOf, isTrue } from './conditions'
import type { ControlPlane, Machine, MachineDeployment, MachineSet } from './kinds'
import {
  ANNOTATION,
  CLUSTERS,
  CONTROL_PLANES,
  DEV_MACHINES,
  HOST,
  MACHINES,
  MACHINE_DEPLOYMENTS,
  MACHINE_SETS,
} from './names'

const FROM = 'v1.34.0'
const TO = 'v1.34.1'
/** Ten seconds of the simulated managers, in which nothing may have moved. */
const A_WHILE = 10_000 / 30

type Extension = Awaited<ReturnType<typeof scriptedExtension>>

let cluster: SandboxTestCluster
let extension: Extension

const machines = (ns: string) => cluster.sandbox.store.list(MACHINES, { namespace: ns }) as unknown as Machine[]
const names = (ns: string) =>
  machines(ns)
    .map((m) => m.metadata.name)
    .sort()
const get = <T>(resource: string, key: string) => cluster.sandbox.store.get(resource, key) as unknown as T
const upToDate = (ns: string, version: string, many: number) =>
  machines(ns).filter((m) => m.spec.version === version && isTrue(m, 'UpToDate') && isTrue(m, 'Available')).length ===
  many
const patch = (resource: string, key: string, body: object) =>
  cluster.sandbox.store.merge(resource, key, JSON.parse(JSON.stringify(body)), ADMIN)
const raiseWorkers = (ns: string, version = TO) =>
  patch(MACHINE_DEPLOYMENTS, `${ns}/c-md`, { spec: { template: { spec: { version } } } })
const raiseControlPlane = (ns: string) => patch(CONTROL_PLANES, `${ns}/c-cp`, { spec: { version: TO } })
const nudge = (resource: string, key: string) =>
  patch(resource, key, { metadata: { annotations: { nudge: `${Date.now()}` } } })
const newCluster = async (
  options: Omit<WorkloadClusterOptions, 'namespace' | 'name' | 'version'>,
  labels: Record<string, string> = { extension: 'yes' },
) => {
  const namespace = await cluster.namespace(labels)
  await cluster.workloadCluster({ namespace, name: 'c', version: FROM, ...options })
  return namespace
}

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  extension = await scriptedExtension(cluster.sandbox)
  await extension.register('gate', { namespaceSelector: { matchLabels: { extension: 'yes' } } })
  await until(
    'the extension is discovered',
    () => conditionOf(get(EXTENSIONS, 'gate'), 'Discovered')?.status === 'True',
  )
})
afterAll(async () => {
  await cluster?.stop()
  await extension?.stop()
})

describe('workers', () => {
  it('in place, one after the other, where one may be unavailable', async () => {
    extension.script.mode = 'yes'
    const ns = await newCluster({ workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } })
    const before = names(ns)
    let most = 0
    const stop = cluster.sandbox.store.subscribe(() => {
      most = Math.max(most, machines(ns).filter((m) => ANNOTATION.updating in (m.metadata.annotations ?? {})).length)
    })
    await raiseWorkers(ns)
    await until('all workers are up to date', () => upToDate(ns, TO, 3))
    stop()
    expect(names(ns)).toEqual(before)
    expect(most).toBe(1)
    await until('the old set is gone', () => cluster.sandbox.store.list(MACHINE_SETS, { namespace: ns }).length === 1)
    expect(
      machines(ns)
        .filter((m) => m.spec.version === TO)
        .every((m) => m.status?.nodeInfo?.kubeletVersion === TO),
    ).toBe(true)
  })

  it('with a spare: one created, two in place, one deleted', async () => {
    extension.script.mode = 'yes'
    const ns = await newCluster({ workers: { replicas: 3, maxSurge: 1, maxUnavailable: 0 } })
    const before = names(ns)
    const asked = extension.questions('canupdatemachineset')
    await raiseWorkers(ns)
    await until('all workers are up to date', () => upToDate(ns, TO, 3) && machines(ns).length === 4)
    expect(names(ns).filter((name) => before.includes(name))).toHaveLength(3)
    expect(extension.questions('canupdatemachineset') - asked).toBe(1)
  })

  it('replaces all of them after a no, and does not ask again', async () => {
    extension.script.mode = 'no'
    const ns = await newCluster({ workers: { replicas: 3, maxSurge: 1, maxUnavailable: 0 } })
    const before = machines(ns)
      .filter((m) => m.metadata.name.includes('-md-'))
      .map((m) => m.metadata.name)
    const asked = extension.questions('canupdatemachineset')
    await raiseWorkers(ns)
    await until('all workers are up to date', () => upToDate(ns, TO, 3) && machines(ns).length === 4)
    expect(names(ns).filter((name) => before.includes(name))).toEqual([])
    expect(extension.questions('canupdatemachineset') - asked).toBe(1)
  })

  it.each(['hold', 500, 'empty'] as const)(
    'moves nothing while the answer is %s, and goes on by a nudge',
    async (mode) => {
      extension.script.mode = mode
      const ns = await newCluster({ workers: { replicas: 2, maxSurge: 1, maxUnavailable: 0 } })
      const before = names(ns)
      const asked = extension.questions('canupdatemachineset')
      await raiseWorkers(ns)
      await until('it was asked twice', () => extension.questions('canupdatemachineset') >= asked + 2)
      await wait(A_WHILE)
      expect(names(ns)).toEqual(before)
      expect(cluster.sandbox.store.list(MACHINE_SETS, { namespace: ns })).toHaveLength(1)
      const held = get<MachineDeployment>(MACHINE_DEPLOYMENTS, `${ns}/c-md`)
      expect(held.status?.observedGeneration).toBeLessThan(held.metadata.generation)
      expect(conditionOf(held, 'RollingOut')?.status).toBe('True')
      const last = extension.asked.at(-1)?.request
      expect(Object.keys(last?.desired ?? {})).toEqual([
        'machineSet',
        'infrastructureMachineTemplate',
        'bootstrapConfigTemplate',
      ])
      expect(JSON.stringify(last)).not.toMatch(/"(status|uid|ownerReferences|resourceVersion)"/)
      extension.script.mode = 'no'
      await nudge(MACHINE_DEPLOYMENTS, `${ns}/c-md`)
      await until('all workers are up to date', () => upToDate(ns, TO, 2))
    },
  )

  it('an update that fails stays visible and is never replaced', async () => {
    extension.script.mode = 'yes'
    extension.script.update = 'failure'
    const ns = await newCluster({ workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 } })
    const before = names(ns)
    await raiseWorkers(ns)
    const failed = () => machines(ns).find((m) => conditionOf(m, 'Updating')?.reason === 'InPlaceUpdateFailed')
    await until('one update failed', () => failed() !== undefined)
    await wait(A_WHILE)
    expect(failed()?.status?.phase).toBe('Updating')
    expect(conditionOf(failed(), 'Ready')?.message).toContain('UpdateMachine hook failed')
    expect(names(ns)).toEqual(before)
    extension.script.update = 'done'
    await until('it went on', () => upToDate(ns, TO, 2), 30_000)
    expect(names(ns)).toEqual(before)
  })
})

describe('control planes', () => {
  it.each([
    { maxSurge: 0 as const, kept: 3, asked: 3 },
    { maxSurge: 1 as const, kept: 2, asked: 2 },
  ])('of three, maxSurge $maxSurge: $kept stay', async ({ maxSurge, kept, asked }) => {
    extension.script.mode = 'yes'
    const ns = await newCluster({ controlPlane: { replicas: 3, maxSurge } })
    const before = names(ns)
    const already = extension.questions('canupdatemachine')
    await raiseControlPlane(ns)
    await until('the control plane is up to date', () => upToDate(ns, TO, 3) && machines(ns).length === 3)
    expect(names(ns).filter((name) => before.includes(name))).toHaveLength(kept)
    expect(extension.questions('canupdatemachine') - already).toBe(asked)
  })

  it('new ones are spread over the failure domains that the Cluster lists for control planes', async () => {
    extension.script.mode = 'no'
    const ns = await newCluster({ controlPlane: { replicas: 3, maxSurge: 0 } })
    const failureDomains = ['a', 'b', 'workers', 'c'].map((name) => ({ name, controlPlane: name !== 'workers' }))
    await cluster.sandbox.store.merge(CLUSTERS, `${ns}/c`, { status: { failureDomains } }, ADMIN, 'status')
    await raiseControlPlane(ns)
    await until('the control plane is up to date', () => upToDate(ns, TO, 3) && machines(ns).length === 3)
    expect(
      machines(ns)
        .map((m) => m.spec.failureDomain)
        .sort(),
    ).toEqual(['a', 'b', 'c'])
  })

  it('held by an error: no machine goes, and no worker comes', async () => {
    extension.script.mode = 'hold'
    const ns = await newCluster({ controlPlane: { replicas: 3, maxSurge: 0 }, workers: { replicas: 1 } })
    const before = names(ns)
    const already = extension.questions('canupdatemachine')
    await raiseControlPlane(ns)
    await until('it was asked', () => extension.questions('canupdatemachine') > already)
    await patch(MACHINE_DEPLOYMENTS, `${ns}/c-md`, { spec: { replicas: 2 } })
    const set = () => (cluster.sandbox.store.list(MACHINE_SETS, { namespace: ns }) as unknown as MachineSet[])[0]
    await until('the preflight check says so', () =>
      (conditionOf(set(), 'ScalingUp')?.message ?? '').includes('"ControlPlaneIsStable" preflight check failed'),
    )
    expect(names(ns)).toEqual(before)
  })
})

describe('pausing', () => {
  it('the annotation keeps a MachineDeployment and a control plane from moving, until it is taken away', async () => {
    extension.script.mode = 'no'
    const ns = await newCluster({ controlPlane: { replicas: 1, maxSurge: 1 }, workers: { replicas: 2 } })
    const before = names(ns)
    const paused = { metadata: { annotations: { [ANNOTATION.paused]: 'drydock' } } }
    await patch(MACHINE_DEPLOYMENTS, `${ns}/c-md`, { ...paused, spec: { template: { spec: { version: TO } } } })
    await patch(CONTROL_PLANES, `${ns}/c-cp`, { ...paused, spec: { version: TO } })
    const says = (resource: string, key: string) =>
      conditionOf(get<ControlPlane>(resource, key), 'Paused')?.status === 'True'
    await until('both say so', () => says(MACHINE_DEPLOYMENTS, `${ns}/c-md`) && says(CONTROL_PLANES, `${ns}/c-cp`))
    await wait(A_WHILE)
    expect(names(ns)).toEqual(before)
    const freed = { metadata: { annotations: { [ANNOTATION.paused]: null } } }
    await patch(CONTROL_PLANES, `${ns}/c-cp`, freed)
    await patch(MACHINE_DEPLOYMENTS, `${ns}/c-md`, freed)
    await until('everything is up to date', () => upToDate(ns, TO, 3) && machines(ns).length === 3)
  })

  it('after a pause the manager of a control plane looks at its members before it decides', async () => {
    extension.script.mode = 'no'
    const ns = await newCluster({ controlPlane: { replicas: 3, maxSurge: 0 }, workers: { replicas: 0 } })
    const before = names(ns)
    const [ill, ...well] = before.filter((name) => name.includes('-cp-')).reverse() as [string, string, string]
    const paused = { metadata: { annotations: { [ANNOTATION.paused]: 'drydock' } } }
    await patch(CONTROL_PLANES, `${ns}/c-cp`, { ...paused, spec: { version: TO } })
    const says = () => conditionOf(get<ControlPlane>(CONTROL_PLANES, `${ns}/c-cp`), 'Paused')?.status === 'True'
    await until('it says so', says)
    // Up to date: it is not the one that goes first.
    await patch(MACHINES, `${ns}/${ill}`, { spec: { version: TO } })
    const host = get<Machine>(MACHINES, `${ns}/${ill}`).spec.infrastructureRef.name
    await patch(DEV_MACHINES, `${ns}/${host}`, { metadata: { annotations: { [HOST.etcdIll]: 'raft: no leader' } } })
    await wait(A_WHILE)
    const member = () => conditionOf(get<Machine>(MACHINES, `${ns}/${ill}`), 'EtcdMemberHealthy')?.status
    expect(member()).toBe('True')
    const already = extension.questions('canupdatemachine')
    await patch(CONTROL_PLANES, `${ns}/c-cp`, { metadata: { annotations: { [ANNOTATION.paused]: null } } })
    await until('it looked', () => member() === 'False')
    await wait(A_WHILE)
    expect(extension.questions('canupdatemachine')).toBe(already)
    expect(names(ns)).toEqual(before)
    expect(well.some((name) => get<Machine>(MACHINES, `${ns}/${name}`).metadata.deletionTimestamp)).toBe(false)
  })

  it('Cluster.spec.paused stops a rollout in the middle', async () => {
    extension.script.mode = 'no'
    const ns = await newCluster({ workers: { replicas: 3, maxSurge: 1 } })
    await raiseWorkers(ns)
    await until('it began', () => machines(ns).length === 5)
    await patch(CLUSTERS, `${ns}/c`, { spec: { paused: true } })
    await until('it says so', () => conditionOf(get<ControlPlane>(CLUSTERS, `${ns}/c`), 'Paused')?.status === 'True')
    await wait(A_WHILE / 2)
    const frozen = JSON.stringify(machines(ns).map((m) => [m.metadata.name, m.spec, m.metadata.deletionTimestamp]))
    await wait(A_WHILE)
    expect(JSON.stringify(machines(ns).map((m) => [m.metadata.name, m.spec, m.metadata.deletionTimestamp]))).toBe(
      frozen,
    )
    await patch(CLUSTERS, `${ns}/c`, { spec: { paused: null } })
    await until('it went on to the end', () => upToDate(ns, TO, 3) && machines(ns).length === 4)
  })
})

describe('the registration', () => {
  it('two handlers for one hook are an error, none means replace', async () => {
    extension.script.mode = 'yes'
    const second = await scriptedExtension(cluster.sandbox)
    await second.register('second', { namespaceSelector: { matchLabels: { twice: 'yes' } } })
    await until('it is discovered', () => conditionOf(get(EXTENSIONS, 'second'), 'Discovered')?.status === 'True')
    const ns = await newCluster(
      { workers: { replicas: 1, maxSurge: 0, maxUnavailable: 1 } },
      {
        extension: 'yes',
        twice: 'yes',
      },
    )
    const before = names(ns)
    await raiseWorkers(ns)
    await wait(A_WHILE)
    expect(names(ns)).toEqual(before)
    expect(machines(ns).every((m) => m.spec.version === FROM)).toBe(true)
    await cluster.sandbox.store.delete(EXTENSIONS, 'second', ADMIN)
    await until('it went in place', () => upToDate(ns, TO, 1))
    expect(names(ns)).toEqual(before)
    await second.stop()

    const bare = await newCluster({ workers: { replicas: 1 } }, { extension: 'no' })
    const old = names(bare)
    await raiseWorkers(bare)
    await until('it was replaced', () => upToDate(bare, TO, 1) && machines(bare).length === 2)
    expect(names(bare).filter((name) => old.includes(name))).toHaveLength(1)
  })
})

describe('hosts', () => {
  it('a PodDisruptionBudget holds up a deletion, in upstream words', async () => {
    const ns = await newCluster({ workers: { replicas: 1 } })
    const worker = names(ns).find((name) => name.includes('-md-')) ?? ''
    await patch(DEV_MACHINES, `${ns}/${worker}`, {
      metadata: { annotations: { [HOST.blockedByBudget]: 'media/encoder' } },
    })
    await cluster.sandbox.store.delete(MACHINES, `${ns}/${worker}`, ADMIN)
    const deleting = () => conditionOf(get<Machine>(MACHINES, `${ns}/${worker}`), 'Deleting')
    await until('the drain is blocked', () =>
      (deleting()?.message ?? '').includes('The disruption budget encoder needs'),
    )
    expect(deleting()?.reason).toBe('DrainingNode')
    await patch(DEV_MACHINES, `${ns}/${worker}`, { metadata: { annotations: { [HOST.blockedByBudget]: null } } })
    await until('it is gone', () => !names(ns).includes(worker))
    await until('there is another one', () => upToDate(ns, FROM, 2))
  })

  it('a machine that never joins says what it waits for', async () => {
    const ns = await newCluster({ workers: { replicas: 0 } })
    const template = 'devmachinetemplates.infrastructure.cluster.x-k8s.io'
    const metadata = { annotations: { [HOST.neverJoins]: 'true' } }
    await patch(template, `${ns}/c-md`, { spec: { template: { metadata } } })
    await patch(MACHINE_DEPLOYMENTS, `${ns}/c-md`, { spec: { replicas: 1 } })
    const lost = () => machines(ns).find((m) => m.status?.phase === 'Provisioned')
    await until('it is provisioned', () => lost() !== undefined)
    await wait(A_WHILE)
    expect(conditionOf(lost(), 'NodeHealthy')?.message).toMatch(/^Waiting for a Node with spec.providerID in-memory:/)
  })
})

describe('ClusterClass', () => {
  it('control plane first, workers when it is done', async () => {
    extension.script.mode = 'yes'
    const ns = await newCluster({
      controlPlane: { replicas: 3, maxSurge: 0 },
      workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 },
      topology: true,
    })
    const before = names(ns)
    const order: string[] = []
    const stop = cluster.sandbox.store.subscribe(({ resource, object, old }) => {
      if (resource !== MACHINES || object.metadata.namespace !== ns || object.spec?.version === old?.spec?.version)
        return
      order.push(object.metadata.name.includes('-md-') ? 'worker' : 'control plane')
    })
    await patch(CLUSTERS, `${ns}/c`, { spec: { topology: { version: TO } } })
    await until('everything is up to date', () => upToDate(ns, TO, 5))
    stop()
    expect(order).toEqual(['control plane', 'control plane', 'control plane', 'worker', 'worker'])
    expect(names(ns)).toEqual(before)
    await until('it says so', () => isTrue(get<ControlPlane>(CLUSTERS, `${ns}/c`), 'TopologyReconciled'))
  })

  it('its workers are not through while they are paused: their status says nothing', async () => {
    extension.script.mode = 'yes'
    const ns = await newCluster({ workers: { replicas: 1, maxSurge: 0, maxUnavailable: 1 }, topology: true })
    const pause = (value: string | null) =>
      patch(MACHINE_DEPLOYMENTS, `${ns}/c-md`, { metadata: { annotations: { 'cluster.x-k8s.io/paused': value } } })
    await pause('')
    await patch(CLUSTERS, `${ns}/c`, { spec: { topology: { version: TO } } })
    const workers = () => get<MachineDeployment>(MACHINE_DEPLOYMENTS, `${ns}/c-md`).spec.template.spec.version
    await until('the version is handed down to the workers', () => workers() === TO)
    await wait(A_WHILE)
    const pending = () => get<ControlPlane>(CLUSTERS, `${ns}/c`).metadata.annotations?.[ANNOTATION.pendingHooks]
    expect(pending()).toBe('AfterClusterUpgrade,AfterWorkersUpgrade')
    await pause(null)
    await until('the upgrade is over', () => pending() === undefined)
    expect(upToDate(ns, TO, 2)).toBe(true)
  })
})
