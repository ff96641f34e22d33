import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WorkloadClusterOptions } from '../../testenv/types'
import { nodeStatus } from '../../examples/updater'
import { sandboxTestCluster, type SandboxTestCluster } from '../test-cluster'
import { ADMIN } from '../testing/extension'
import { until } from '../testing/until'
import { conditionOf } from './conditions'
import type { Machine, MachineHealthCheck } from './kinds'
import { ANNOTATION, CORE, HEALTH_CHECKS, LABEL, MACHINE_DEPLOYMENTS, MACHINES } from './names'

/** Thirty times as fast: a minute is two seconds. */
const MINUTE = 60

let cluster: SandboxTestCluster
beforeAll(async () => {
  cluster = await sandboxTestCluster()
})
afterAll(async () => cluster?.stop())

const store = () => cluster.sandbox.store
const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as never
const machines = (ns: string) => store().list(MACHINES, { namespace: ns }) as unknown as Machine[]
const workers = (ns: string) => machines(ns).filter((m) => !(LABEL.controlPlane in (m.metadata.labels ?? {})))
const members = (ns: string) => machines(ns).filter((m) => LABEL.controlPlane in (m.metadata.labels ?? {}))
const get = (m: Machine) =>
  store().get(MACHINES, `${m.metadata.namespace}/${m.metadata.name}`) as unknown as Machine | undefined
const isGoing = (m: Machine) =>
  get(m)?.metadata.uid !== m.metadata.uid || get(m)?.metadata.deletionTimestamp !== undefined
const said = (m: Machine) => conditionOf(get(m), 'OwnerRemediated')
const checkOf = (ns: string) => store().get(HEALTH_CHECKS, `${ns}/c`) as unknown as MachineHealthCheck
const silence = ({ metadata: { namespace = '', name } }: Machine, status = 'Unknown') =>
  nodeStatus(cluster.adminKubeconfig)(
    { namespace, cluster: 'c', machine: name },
    { conditions: [{ type: 'Ready', status }] },
  )
const annotate = (m: Machine, annotations: object) =>
  store().merge(MACHINES, `${m.metadata.namespace}/${m.metadata.name}`, json({ metadata: { annotations } }), ADMIN)

/** A cluster whose check waits for a minute for nodes, and has looked. */
async function checked(
  options: Omit<WorkloadClusterOptions, 'namespace' | 'name' | 'version'>,
  more: object = {},
  checks: object = { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: MINUTE }] },
): Promise<string> {
  const namespace = await cluster.namespace()
  await cluster.workloadCluster({ namespace, name: 'c', version: 'v1.34.0', ...options })
  const check = {
    ...{ apiVersion: CORE, kind: 'MachineHealthCheck', metadata: { name: 'c', namespace } },
    spec: { clusterName: 'c', selector: { matchLabels: { [LABEL.cluster]: 'c' } }, checks, ...more },
  }
  await store().create(HEALTH_CHECKS, json(check), ADMIN)
  await until('it to have looked', () => checkOf(namespace).status?.currentHealthy === machines(namespace).length)
  return namespace
}

test('a worker whose node is away for too long is replaced; one that comes back in time is not', async () => {
  const ns = await checked({ workers: { replicas: 2 } })
  const [a, b] = workers(ns) as [Machine, Machine]
  await Promise.all([silence(a), silence(b)])
  await until('the check to count them', () => (checkOf(ns).status?.currentHealthy ?? 9) < 3)
  await silence(b, 'True')
  await until('it to go', () => isGoing(a))
  expect(conditionOf(get(a), 'HealthCheckSucceeded')).toMatchObject({ status: 'False', reason: 'UnhealthyNode' })
  expect(said(a)).toMatchObject({ status: 'False', reason: 'MachineDeleting' })
  await until('another one to come', () => workers(ns).filter((m) => m.status?.nodeRef).length === 2 && !get(a))
  expect(isGoing(b)).toBe(false)
})

test('one that is skipped is none of its machines, and is looked at again afterwards', async () => {
  const ns = await checked({ workers: { replicas: 2 } })
  const [a] = workers(ns) as [Machine]
  await annotate(a, { [ANNOTATION.skipRemediation]: '' })
  await silence(a)
  await until('it not to be counted', () => checkOf(ns).status?.expectedMachines === 2)
  await new Promise((resolve) => setTimeout(resolve, 3_500))
  expect([isGoing(a), said(a)]).toEqual([false, undefined])
  await annotate(a, { [ANNOTATION.skipRemediation]: null })
  await until('it to go', () => isGoing(a))
})

test('what was found ill goes, also where it is skipped afterwards', async () => {
  const ns = await checked({ workers: { replicas: 1 } })
  const [a] = workers(ns) as [Machine]
  const paused = { metadata: { annotations: { [ANNOTATION.paused]: '' } } }
  const sets = store().list('machinesets.cluster.x-k8s.io', { namespace: ns })
  const set = `${ns}/${sets[0]!.metadata.name}`
  await store().merge('machinesets.cluster.x-k8s.io', set, json(paused), ADMIN)
  await silence(a)
  await until('it to be marked', () => said(a)?.reason === 'WaitingForRemediation')
  await annotate(a, { [ANNOTATION.skipRemediation]: '' })
  const free = { metadata: { annotations: { [ANNOTATION.paused]: null } } }
  await store().merge('machinesets.cluster.x-k8s.io', set, json(free), ADMIN)
  await until('it to go', () => isGoing(a))
})

test('beyond its limit it has nothing remediated', async () => {
  const limit = { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: 1 } } }
  const ns = await checked({ workers: { replicas: 2 } }, limit)
  const [a, b] = workers(ns) as [Machine, Machine]
  await Promise.all([silence(a), silence(b)])
  await until('it to say so', () => conditionOf(checkOf(ns), 'RemediationAllowed')?.status === 'False')
  await until('both to be found ill', () =>
    [a, b].every((m) => conditionOf(get(m), 'HealthCheckSucceeded')?.status === 'False'),
  )
  expect([a, b].map((m) => [isGoing(m), said(m)])).toEqual([
    [false, undefined],
    [false, undefined],
  ])
})

test('a condition of the Machine trips without the node', async () => {
  const checks = { unhealthyMachineConditions: [{ type: 'UpToDate', status: 'False', timeoutSeconds: 0 }] }
  const ns = await checked({ workers: { replicas: 1 } }, {}, checks)
  const [a] = workers(ns) as [Machine]
  const paused = {
    metadata: { annotations: { [ANNOTATION.paused]: '' } },
    spec: { template: { spec: { version: 'v1.34.1' } } },
  }
  await store().merge(MACHINE_DEPLOYMENTS, `${ns}/c-md`, json(paused), ADMIN)
  await until('it to go', () => isGoing(a))
  expect(conditionOf(get(a), 'HealthCheckSucceeded')?.reason ?? 'UnhealthyMachine').toBe('UnhealthyMachine')
})

describe('control planes', () => {
  test('one of three goes', async () => {
    const ns = await checked({ controlPlane: { replicas: 3 } })
    const [a] = members(ns) as [Machine]
    await silence(a)
    await until('it to go', () => isGoing(a))
    await until('another one to come', () => members(ns).filter((m) => m.status?.nodeRef).length === 3 && !get(a))
  })

  test('the only one does not', async () => {
    const ns = await checked({ controlPlane: { replicas: 1 } })
    const [a] = members(ns) as [Machine]
    await silence(a)
    await until('its owner to say so', () => said(a)?.reason === 'CannotBeRemediated')
    expect(isGoing(a)).toBe(false)
    await silence(a, 'True')
    await until('it to be well', () => said(a) === undefined)
  })
})
