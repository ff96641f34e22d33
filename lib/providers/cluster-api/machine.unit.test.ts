import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { MachineRow } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ProjectionContext } from '../rows'
import { projectMachine } from './machine'
import { condition, machine, machineConditions, machineSet, type MachineWords } from './testing/objects'

const CREATED = Date.parse('2026-01-01T10:00:00Z')
const context = (minutes = 5, sets: KubeObject[] = []): ProjectionContext => ({
  find: (_, key) => sets.find((s) => `fleet/${s.metadata.name}` === key),
  governed: () => false,
  now: CREATED + minutes * 60_000,
})
const row = (words: Partial<MachineWords>, minutes?: number): MachineRow =>
  projectMachine(machine({ name: 'm', ...words }), context(minutes)).machine!

const deleting = { deletionTimestamp: '2026-01-01T11:00:00Z' }
const PDB = `Drain not completed yet (started at 2026-01-01T11:00:00Z):
* Pod shop/db-0: cannot evict pod as it would violate the pod's disruption budget. The disruption budget db needs 3 healthy pods and has 3 currently`

test.each<[string, Partial<MachineWords>, Partial<MachineRow>, number?]>([
  [
    'running',
    {},
    {
      state: 'ready',
      severity: 0,
      sentence: 'Running v1.34.0.',
      ready: true,
      available: true,
      upToDate: true,
      error: null,
    },
  ],
  [
    'held: not up to date',
    {
      conditions: machineConditions(
        condition('UpToDate', 'False', 'NotUpToDate', '* Version v1.34.0, v1.34.1 required'),
      ),
    },
    {
      state: 'ready',
      upToDate: false,
      sentence: 'Running v1.34.0, not up to date: Version v1.34.0, v1.34.1 required.',
    },
  ],
  [
    'updating in place',
    {
      phase: 'Updating',
      conditions: machineConditions(
        condition('Ready', 'False', 'NotReady'),
        condition('Updating', 'True', 'InPlaceUpdating', 'In-place update in progress: patching m'),
      ),
    },
    {
      state: 'updating',
      updating: true,
      ready: false,
      sentence: 'Being updated in place to v1.34.0: patching m.',
      error: null,
    },
  ],
  [
    'chosen for an in-place update, its spec still the old one',
    {
      phase: 'Updating',
      metadata: { annotations: { 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress': '' } },
      conditions: machineConditions(condition('Updating', 'True', 'InPlaceUpdating', 'In-place update in progress')),
    },
    { state: 'updating', updating: true, sentence: 'Its in-place update begins.' },
  ],
  [
    'in an in-place update, its spec the new one',
    {
      phase: 'Updating',
      metadata: {
        annotations: {
          'in-place-updates.internal.cluster.x-k8s.io/update-in-progress': '',
          'runtime.cluster.x-k8s.io/pending-hooks': 'Other,UpdateMachine',
        },
      },
      conditions: machineConditions(condition('Updating', 'True', 'InPlaceUpdating', 'In-place update in progress')),
    },
    { state: 'updating', updating: true, sentence: 'Being updated in place to v1.34.0.' },
  ],
  [
    'failed in-place update',
    {
      phase: 'Updating',
      conditions: machineConditions(
        condition(
          'Updating',
          'True',
          'InPlaceUpdateFailed',
          'UpdateMachine hook failed: please check controller logs for errors',
        ),
      ),
    },
    {
      state: 'failed',
      severity: 90,
      error: 'UpdateMachine hook failed: please check controller logs for errors',
      sentence:
        'The in-place update to v1.34.0 failed: its updater failed, or was not reached, in the middle of the in-place update.',
      trouble: 'in-place-hook-failed',
    },
  ],
  [
    'drain that a disruption budget stops',
    {
      phase: 'Deleting',
      metadata: deleting,
      conditions: machineConditions(condition('Deleting', 'True', 'DrainingNode', PDB)),
    },
    {
      state: 'deleting',
      deleting: true,
      severity: 50,
      error: expect.stringContaining('The disruption budget db needs 3 healthy pods') as unknown as string,
      sentence: 'Being deleted: a disruption budget keeps shop/db-0 on its node.',
      trouble: 'drain-budget',
      troubleWords: 'a disruption budget keeps shop/db-0 on its node',
    },
  ],
  [
    'deletion that goes on',
    {
      phase: 'Deleting',
      metadata: deleting,
      conditions: machineConditions(
        condition('Deleting', 'True', 'WaitingForInfrastructureDeletion', 'Waiting for DevMachine to be deleted'),
      ),
    },
    {
      state: 'deleting',
      severity: 20,
      error: null,
      sentence: 'Being deleted: waiting for its infrastructure to be deleted (Waiting for DevMachine to be deleted).',
    },
  ],
  [
    'waiting for its infrastructure',
    {
      phase: 'Provisioning',
      status: { nodeRef: null },
      conditions: machineConditions(
        condition('InfrastructureReady', 'False', 'NotReady', '* VMProvisioned: WaitingForBootstrapData'),
      ),
    },
    {
      state: 'provisioning',
      node: null,
      error: null,
      sentence: 'Being created: waiting for its infrastructure (VMProvisioned: WaitingForBootstrapData).',
    },
  ],
  [
    'waiting for the node',
    { phase: 'Provisioned', status: { nodeRef: null } },
    { state: 'provisioning', sentence: 'Being created: its infrastructure is there; waiting for the node to join.' },
    19,
  ],
  [
    'never joined',
    { phase: 'Provisioned', status: { nodeRef: null } },
    { state: 'failed', severity: 90, error: expect.stringContaining('No node has joined') as unknown as string },
    21,
  ],
  [
    'never joined, as the health check says',
    {
      phase: 'Provisioned',
      status: { nodeRef: null },
      conditions: [
        condition('HealthCheckSucceeded', 'False', 'NodeStartupTimeout', 'Node failed to report startup in 10m0s'),
      ],
    },
    {
      state: 'failed',
      sentence: 'Never joined: its node did not join within 10m0s.',
      error: 'Node failed to report startup in 10m0s',
    },
  ],
  [
    'just created',
    { phase: '', status: { nodeRef: null, phase: null, conditions: [], deprecated: null } as JsonObject },
    { state: 'provisioning', phase: 'Unknown', upToDate: null, sentence: 'Just created; its controllers begin.' },
  ],
  [
    'terminal failure',
    {
      phase: 'Failed',
      status: { deprecated: { v1beta1: { failureReason: 'CreateError', failureMessage: 'no such image' } } },
    },
    {
      state: 'failed',
      error: 'CreateError: no such image',
      sentence: 'Failed for good on the way to v1.34.0: CreateError: no such image.',
    },
  ],
  [
    'node not ready',
    {
      conditions: machineConditions(
        condition('Ready', 'False', 'NotReady', '* NodeHealthy: Node.Ready is False: kubelet stopped posting'),
      ),
    },
    {
      state: 'not-ready',
      severity: 60,
      ready: false,
      sentence: 'Not ready: NodeHealthy: Node.Ready is False: kubelet stopped posting.',
    },
  ],
  [
    'nobody can tell',
    {
      conditions: machineConditions(
        condition('Ready', 'Unknown', 'ReadyUnknown', '* NodeHealthy: Remote connection down'),
      ),
    },
    { state: 'unknown', ready: false, sentence: 'Its state is not known: NodeHealthy: Remote connection down.' },
  ],
  [
    'paused',
    { conditions: machineConditions(condition('Paused', 'True', 'Paused')) },
    { state: 'ready', sentence: 'Running v1.34.0. Paused: its controllers leave it alone.' },
  ],
])('%s', (_, words, expected, minutes) => {
  expect(row(words, minutes)).toMatchObject(expected)
})

test('an error that nobody knows is said verbatim, and told to be counted without the machine’s name', () => {
  const odd = machine({
    name: 'm-abc',
    phase: 'Failed',
    status: { deprecated: { v1beta1: { failureReason: 'Odd', failureMessage: 'm-abc lost disk 7' } } },
  })
  const { machine: known, unknown } = projectMachine(odd, context())
  expect(known).toMatchObject({ error: 'Odd: m-abc lost disk 7', trouble: null, troubleWords: null })
  expect(unknown).toMatchObject({ condition: 'Failure', reason: 'Odd', message: '… lost disk #' })
})

test('an error that is known only in general keeps its own words, and is counted', () => {
  const failed = (message: string) =>
    machine({
      phase: 'Updating',
      name: 'm',
      conditions: machineConditions(condition('Updating', 'True', 'InPlaceUpdateFailed', message)),
    })
  const general = projectMachine(failed('a later version says so'), context())
  expect(general.machine).toMatchObject({
    sentence: 'The in-place update to v1.34.0 failed: a later version says so.',
    trouble: 'in-place-failed',
  })
  expect(general.unknown?.message).toBe('a later version says so')
  expect(
    projectMachine(failed('UpdateMachine hook failed: please check controller logs for errors'), context()).unknown,
  ).toBeUndefined()
})

test('what keeps a machine from being made is said in the catalogue’s words; a stage is no error and is not counted', () => {
  const waits = (reason: string, message: string, kind: string) => {
    const made = machine({
      name: 'm',
      phase: 'Provisioning',
      status: { nodeRef: null },
      conditions: machineConditions(condition('InfrastructureReady', 'False', reason, message)),
    })
    made.spec = { ...made.spec, infrastructureRef: { kind, name: 'm', apiGroup: 'infrastructure.cluster.x-k8s.io' } }
    return projectMachine(made, context())
  }
  const words = 'We currently do not have sufficient m5.large capacity in the Availability Zone you requested (eu-1a).'
  expect(
    waits('InstanceProvisionFailed', `api error InsufficientInstanceCapacity: ${words}`, 'AWSMachine'),
  ).toMatchObject({
    machine: {
      state: 'provisioning',
      error: null,
      sentence: 'Being created: EC2 has no m5.large capacity in eu-1a now.',
    },
  })
  const odd = waits('Odd', 'the flux capacitor is empty', 'AWSMachine')
  expect(odd).toMatchObject({
    machine: {
      trouble: null,
      sentence: 'Being created: waiting for its infrastructure (the flux capacitor is empty).',
    },
  })
  expect(odd.unknown).toBeUndefined()
})

test('the group is the MachineDeployment behind the MachineSet, by owners and not by labels that may be hashed', () => {
  const hashed = machine({ name: 'm' })
  hashed.metadata.labels!['cluster.x-k8s.io/deployment-name'] = 'a1b2c3'
  const known = projectMachine(hashed, context(5, [machineSet('c1-md-s5fgz', 'a-very-long-name')])).machine
  expect(known).toMatchObject({
    groupKind: 'MachineDeployment',
    groupName: 'a-very-long-name',
    machineSet: 'c1-md-s5fgz',
  })
  const alone = machine({ name: 'm' })
  alone.metadata.labels = {}
  expect(projectMachine(alone, context(5, [machineSet('c1-md-s5fgz', null)])).machine).toMatchObject({
    groupKind: 'MachineSet',
    groupName: 'c1-md-s5fgz',
  })
})

test('control plane machines belong to their control plane', () => {
  const plane = machine({ name: 'm' })
  plane.metadata.labels = { 'cluster.x-k8s.io/control-plane': '' }
  plane.metadata.ownerReferences = [
    { apiVersion: 'x', controller: true, kind: 'KubeadmControlPlane', name: 'c1-cp', uid: 'u' },
  ]
  expect(projectMachine(plane, context()).machine).toMatchObject({
    groupKind: 'KubeadmControlPlane',
    groupName: 'c1-cp',
    controlPlane: true,
    machineSet: null,
  })
})

test('v1beta1 objects: conditions of the new style where they are, else the old ones with their meaning', () => {
  const newer = { ...machine({ name: 'm' }), apiVersion: 'cluster.x-k8s.io/v1beta1' }
  newer.status = {
    phase: 'Running',
    nodeRef: { kind: 'Node', name: 'n' },
    v1beta2: { conditions: machineConditions(condition('UpToDate', 'False', 'NotUpToDate', '* x')) },
  }
  expect(projectMachine(newer, context()).machine).toMatchObject({
    state: 'ready',
    ready: true,
    upToDate: false,
    node: 'n',
  })
  const older: KubeObject = {
    ...newer,
    status: {
      phase: 'Running',
      nodeRef: { name: 'n' },
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'NodeHealthy', status: 'False', reason: 'NodeConditionsFailed', message: 'Node is not ready' },
      ],
    },
  }
  expect(projectMachine(older, context()).machine).toMatchObject({
    state: 'not-ready',
    ready: false,
    upToDate: null,
    sentence: 'Not ready: Node is not ready.',
  })
  const gone: KubeObject = {
    ...older,
    status: { ...older.status, failureReason: 'UpdateError', failureMessage: 'instance gone' },
  }
  expect(projectMachine(gone, context()).machine).toMatchObject({
    state: 'failed',
    error: 'UpdateError: instance gone',
  })
})
