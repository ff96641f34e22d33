import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openShiftFleet } from '@/sandbox/openshift'
import type { KubeObject } from '@/lib/kubernetes/types'
import { versionInName } from '@/lib/domain/boot-images/version-in-name'
import { openshiftRows } from './rows'

const NOW = Date.UTC(2026, 10, 21)
const fleet = openShiftFleet({ now: NOW })
const of = (resource: string) =>
  fleet.filter((s) => s.resource === resource).map((s) => s.object as unknown as KubeObject)
const nodes = new Map(of('nodes').map((n) => [n.metadata.name, openshiftRows.node(n)]))
const rows = of('machines.machine.openshift.io').map((m) => {
  const node = (m.status?.nodeRef as { name: string } | undefined)?.name
  return openshiftRows.machine('tidal', m, node ? nodes.get(node) : undefined, NOW).machine!
})

test('every machine of the fleet is a row with its node’s version', () => {
  expect(rows).toHaveLength(41)
  expect(rows.filter((r) => r.controlPlane)).toHaveLength(3)
  expect(rows.filter((r) => r.state === 'ready')).toHaveLength(40)
  expect(rows[0]).toMatchObject({
    version: 'v1.35.4',
    versionKey: '000001.000035.000004~',
    provider: 'machine.openshift.io',
  })
})

test('a machine that runs and never joined is told by its age', () => {
  const [stuck] = rows.filter((r) => r.state === 'failed')
  expect(stuck).toMatchObject({ phase: 'Provisioned', node: null, severity: 85 })
  expect(stuck?.sentence).toContain('never joined')
  const raw = of('machines.machine.openshift.io').find((m) => m.metadata.uid === stuck?.id)!
  const soon = Date.parse(raw.status?.lastUpdated as string) + 60_000
  expect(openshiftRows.machine('tidal', raw, undefined, soon).machine!.state).toBe('provisioning')
})

const sample = (name: string) =>
  JSON.parse(readFileSync(new URL(`testing/samples/${name}.json`, import.meta.url), 'utf8')) as KubeObject
test('as a real API server has them', () => {
  const row = (name: string) => openshiftRows.machine('c', sample(name), undefined, NOW + 12 * 3_600_000).machine!
  expect(row('machine.provisioned-stuck')).toMatchObject({
    ...{ state: 'failed', trouble: 'machine-api-never-joined', bootImage: 'ami-0aaaaaaaaaaaaa002', upToDate: false },
    provisionedSince: new Date('2026-11-21T06:05:00Z'),
    joining: { instance: 'running', userData: 'worker-user-data', reason: null, message: null },
  })
  expect(row('machine.vsphere-running')).toMatchObject({
    ...{
      upToDate: null,
      provisionedSince: null,
      joining: null,
      bootImage: 'keel-x9m4t-rhcos-fd-east',
      bootImageVersion: null,
    },
  })
})

test.each([
  ['machine.openshift.io/delete-machine', 'true', true],
  ['machine.openshift.io/cluster-api-delete-machine', 'yes', true],
  ['machine.openshift.io/delete-machine', '', false],
  ['cluster.x-k8s.io/delete-machine', 'true', false],
])('marked with %s: %j, it goes first: %s', (mark, value, goes) => {
  const raw = of('machines.machine.openshift.io')[0]!
  const marked = { ...raw, metadata: { ...raw.metadata, annotations: { [mark]: value } } }
  expect(openshiftRows.machine('tidal', marked, undefined, NOW).machine!.deleteMarked).toBe(goes)
})

const MADE = '2026-11-20T05:38:11Z'
/** As a real API server keeps it: the status was written again much later, while the instance stood there all the time. */
const provisioned = (status: Record<string, unknown>) =>
  ({
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    metadata: {
      name: 'w-1',
      namespace: 'n',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: MADE,
    },
    spec: {
      providerSpec: {
        value: {
          ...{ kind: 'GCPMachineProviderSpec', userDataSecret: { name: 'worker-user-data' } },
          disks: [{ boot: true, image: 'projects/rhcos-cloud/global/images/rhcos-412-86-202303211731-0-gcp-x86-64' }],
        },
      },
    },
    status: { phase: 'Provisioned', providerStatus: { instanceState: 'RUNNING' }, ...status },
  }) as unknown as KubeObject
const exists = { type: 'InstanceExists', status: 'True', lastTransitionTime: '2026-11-20T06:05:00Z' }

test.each([
  [
    'that the instance exists was said once',
    { conditions: [exists], lastUpdated: '2026-11-20T23:59:00Z' },
    undefined,
    exists.lastTransitionTime,
  ],
  [
    'of a status that was written before',
    { conditions: [], lastUpdated: '2026-11-20T05:50:00Z' },
    undefined,
    '2026-11-20T05:50:00Z',
  ],
  ['what was seen before that', { conditions: [exists] }, '2026-11-20T05:40:00Z', '2026-11-20T05:40:00Z'],
  ['not before the machine was made', { conditions: [exists], lastUpdated: '2026-01-01T00:00:00Z' }, undefined, MADE],
  ['what was seen, where it says nothing', { conditions: [] }, undefined, new Date(NOW).toISOString()],
])('since when its instance is there: %s', (_name, status, seen, since) => {
  const row = openshiftRows.machine('c', provisioned(status), undefined, NOW, seen ? Date.parse(seen) : NOW).machine!
  expect(row.provisionedSince).toEqual(new Date(since))
  expect(row.state).toBe(Date.parse(since) === NOW ? 'provisioning' : 'failed')
  expect(row).toMatchObject({
    bootImageVersion: 'RHCOS 412.86.202303211731-0',
    joining: { instance: 'RUNNING', userData: 'worker-user-data', reason: null, message: null },
  })
})

test.each([
  ['has a node', { nodeRef: { name: 'n' } }],
  ['has no instance', { phase: 'Provisioning' }],
])('one that %s does not wait to join', (_name, status) => {
  expect(openshiftRows.machine('c', provisioned(status), undefined, NOW).machine).toMatchObject({
    ...{ provisionedSince: null, joining: null },
  })
})

test.each([
  ['Azure', 'azureopenshift:aro4:aro_413:413.92.20230310', '4.13.0'],
  ['Azure', 'redhat:rh-ocp-worker:rh-ocp-worker:4.18.2025031114', '4.18.0'],
  ['Azure', 'azureopenshift:aro4:420-v2:9.6.20251015', 'RHCOS 9.6.20251015-0'],
  ['Azure', '/resourceGroups/rg/providers/Microsoft.Compute/images/own', null],
  ['GCP', 'projects/acme/global/images/golden', null],
  ['AWS', 'ami-0aaaaaaaaaaaaa002', null],
  ['VSphere', 'keel-x9m4t-rhcos-fd-east', null],
])('on %s %s is of %s', (platform, image, version) => expect(versionInName(image, platform)).toBe(version))

test.each([
  [{ configState: 'Degraded', configReason: 'disk full' }, 'failed', 'disk full'],
  [{ configState: 'Rebooting' }, 'updating', 'rebooting'],
  [{ draining: true }, 'updating', 'draining'],
  [{ ready: false }, 'not-ready', 'not Ready'],
  [{ schedulable: false }, 'not-ready', 'cordoned'],
])('its node says %j', (facts, state, words) => {
  const machine = of('machines.machine.openshift.io').find((m) => m.status?.nodeRef)!
  const node = [...nodes.values()].find((n) => n.name === (machine.status?.nodeRef as { name: string }).name)!
  const row = openshiftRows.machine('tidal', machine, { ...node, ...facts }, NOW).machine!
  expect(row.state).toBe(state)
  expect(row.sentence).toContain(words)
})

type Status = Record<string, unknown>
const fresh = rows.find((r) => r.state === 'failed')!
/** The machine that has no node, with another status, so many minutes after it was made. */
function pending(status: Status, { minutes = 2, deleting = false, kind = 'AWSMachineProviderConfig' } = {}) {
  const raw = structuredClone(of('machines.machine.openshift.io').find((m) => m.metadata.uid === fresh.id)!)
  if (deleting) raw.metadata.deletionTimestamp = raw.metadata.creationTimestamp
  ;(raw.spec as { providerSpec: { value: Status } }).providerSpec.value.kind = kind
  const later = Date.parse(raw.metadata.creationTimestamp) + minutes * 60_000
  return openshiftRows.machine('tidal', { ...raw, status } as KubeObject, undefined, later)
}
const failed = (message: string, type = 'MachineCreation', reason = 'MachineCreationFailed') => ({
  phase: 'Provisioning',
  providerStatus: { conditions: [{ type, status: 'False', reason, message }] },
})
const NO_ROOM =
  'error creating EC2 instance: InsufficientInstanceCapacity: We currently do not have sufficient m5.2xlarge capacity in the Availability Zone you requested (us-east-1a).'

test('an instance that cannot be made is told by the provider’s own conditions, and as failed after a while', () => {
  const { machine, unknown } = pending(failed(NO_ROOM))
  expect(machine).toMatchObject({ state: 'provisioning', severity: 50, trouble: 'aws-no-capacity', error: NO_ROOM })
  expect(machine!.sentence).toBe(
    'Its instance is not there yet; it is tried again: EC2 has no m5.2xlarge capacity in us-east-1a now.',
  )
  expect(unknown).toBeUndefined()
  expect(pending(failed(NO_ROOM), { minutes: 30 }).machine).toMatchObject({
    state: 'failed',
    severity: 85,
    sentence: 'It has no instance after 30 minutes: EC2 has no m5.2xlarge capacity in us-east-1a now.',
  })
})

test('vSphere says so with the reason of success, and an error that nobody knows is counted', () => {
  const status = failed('the host is on fire', 'MachineCreation', 'MachineCreationSucceeded')
  const { machine, unknown } = pending(status, { kind: 'VSphereMachineProviderSpec' })
  expect(machine).toMatchObject({ trouble: 'machine-api-creating-failed', error: 'the host is on fire' })
  expect(machine!.sentence).toContain('the host is on fire')
  expect(unknown).toMatchObject({ condition: 'MachineCreation', message: 'the host is on fire' })
})

test('a provider that does not answer is told before what it said earlier', () => {
  const conditions = [
    { type: 'InstanceExists', status: 'Unknown', reason: 'ErrorCheckingProvider', message: 'Failed to check: timeout' },
  ]
  const { machine } = pending({ ...failed(NO_ROOM), conditions })
  expect(machine).toMatchObject({ trouble: 'machine-api-provider-unchecked', error: 'Failed to check: timeout' })
})

test.each([
  [failed('See AWSMachine conditions.'), 'machine-api-mirrored', 'Cluster API makes its instance.'],
  [
    failed('Waiting on 2 IP address claims to be bound', 'IPAddressClaimed', 'WaitingForIPAddress'),
    'machine-api-ip-claims',
    'waiting for 2 addresses of its IP pool.',
  ],
])('a stage is no error: %j', (status, trouble, words) => {
  expect(pending(status).machine).toMatchObject({ state: 'provisioning', severity: 10, error: null, trouble })
  expect(pending(status).machine!.sentence).toBe(`Waiting for its instance; ${words}`)
})

test('nothing is said of an instance that is there, or of what succeeded', () => {
  expect(
    pending({ ...failed(NO_ROOM), phase: 'Provisioned', lastUpdated: new Date(fresh.createdAt).toISOString() }).machine,
  ).toMatchObject({ state: 'provisioning', error: null, trouble: null })
  const conditions = [{ type: 'MachineCreation', status: 'True', reason: 'MachineCreationSucceeded', message: 'made' }]
  expect(pending({ phase: 'Provisioning', providerStatus: { conditions } }).machine!.sentence).toBe(
    'Waiting for its instance.',
  )
})

test('a machine that waits for a free host is not failed, and one that failed is', () => {
  const status = { errorReason: 'InsufficientResources', errorMessage: 'No available BareMetalHost found' }
  const options = { kind: 'BareMetalMachineProviderSpec' }
  expect(pending({ ...status, phase: 'Provisioning' }, options).machine).toMatchObject({
    state: 'provisioning',
    trouble: 'machine-api-no-host',
    error: 'InsufficientResources: No available BareMetalHost found',
  })
  expect(pending({ ...status, phase: 'Failed' }, options).machine).toMatchObject({ state: 'failed', severity: 90 })
})

const hook = (type: string, verb: string, name: string) => ({
  type,
  status: 'False',
  reason: 'HookPresent',
  message: `${verb} operation currently blocked by: [{Name:${name} Owner:clusteroperator/etcd}]`,
})
const drain = (status: string) => ({
  type: 'Drained',
  status,
  reason: 'DrainError',
  message: 'could not drain machine: x',
})
test.each([
  [[hook('Drainable', 'Drain', 'EtcdQuorumOperator'), drain('False')], 30, 'the pre-drain hook EtcdQuorumOperator.'],
  [
    [hook('Terminable', 'Terminate', 'Backup'), drain('True')],
    30,
    'its instance is kept: waiting for the pre-terminate',
  ],
  [[hook('Terminable', 'Terminate', 'Backup'), drain('False')], 50, 'could not drain machine: x'],
  [[drain('True')], 20, 'Being deleted.'],
])('what holds a deletion up: %j', (conditions, severity, words) => {
  const { machine } = pending({ phase: 'Deleting', conditions }, { deleting: true })
  expect(machine).toMatchObject({ state: 'deleting', severity, error: null })
  expect(machine!.sentence).toContain(words)
})

test('sets and the cluster are rows too', () => {
  const set = openshiftRows.group('tidal', of('machinesets.machine.openshift.io')[0]!)
  expect(set).toMatchObject({ kind: 'MachineSet', desiredReplicas: 14, readyReplicas: 14, held: null })
  const cluster = openshiftRows.workloadCluster(
    'c1',
    of('clusterversions.config.openshift.io')[0],
    of('infrastructures.config.openshift.io')[0],
    'x',
  )
  expect(cluster).toMatchObject({ name: 'tidal-7k2qd', version: '4.22.4', provider: 'openshift', phase: 'Available' })
})

test('credentials in what its controllers say are not taken over', () => {
  const [running] = of('machines.machine.openshift.io')
  const failed = { phase: 'Failed', errorReason: 'CreateError', errorMessage: 'login failed, password: hunter2' }
  const told = openshiftRows.machine(
    'tidal',
    { ...running!, status: { ...running!.status, ...failed } },
    undefined,
    NOW,
  )
  expect(told.machine).toMatchObject({ state: 'failed', error: 'CreateError: login failed, password: ••••••' })
  expect(JSON.stringify(told)).not.toContain('hunter2')
})

test('a pool rolls out until the operator says that it is through, not only until every node has it', () => {
  const pool = sample('machineconfigpool.worker-updating')
  const rolling = (status: object, spec: object = {}) => {
    const object = { ...pool, spec: { ...pool.spec, ...spec }, status: { ...pool.status, ...status } } as KubeObject
    return openshiftRows.pool('mast', object, true).group!.rollingOut
  }
  const [wanted, counted] = [{ name: 'b' }, { machineCount: 5, updatedMachineCount: 5 }]
  const spec = { configuration: wanted, paused: false }
  expect(rolling({ ...counted, updatedMachineCount: 4, configuration: { name: 'a' } }, spec)).toBe(true)
  expect(rolling({ ...counted, configuration: { name: 'a' } }, spec)).toBe(true)
  expect(rolling({ ...counted, configuration: { name: 'a' } }, { ...spec, paused: true })).toBe(false)
  expect(rolling({ ...counted, configuration: wanted }, spec)).toBe(false)
  expect(rolling({ machineCount: 0, updatedMachineCount: 0, configuration: { name: 'a' } }, spec)).toBe(false)
})
