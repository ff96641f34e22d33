import type { JsonObject } from '../../lib/domain/json'
import type { Platform } from './platforms'
import { hasNodeSteps } from './resources'
import { seed, suffixOf, uidOf, type Seed } from './seed'

const API_NAMESPACE = 'openshift-machine-api'
const MACHINE = 'machine.openshift.io/v1beta1'

export interface SetPlan {
  /** "us-east-1a" */
  name: string
  zone: string
  replicas: number
  instanceType: string
  /** The part of providerSpec that names the image. */
  image: JsonObject
  labels?: Record<string, string>
  imageBy: { manager: string; at: string }
  /** So many of its machines have an instance that never joined. */
  stuck?: number
  /** So many of those that joined did so under the present release. */
  fresh?: number
  /** How many days ago the others were made, where not long before; never before their image was written. */
  days?: number
  /** Secret that its machines start with; "worker-user-data" where not given. */
  userData?: string
  /** Its nodes belong to a MachineConfigPool of their own. */
  pool?: string
  /** The drain of its last machine's node takes several tries. */
  slowDrain?: boolean
}

export interface World {
  cluster: string
  infra: string
  platform: Platform
  region: string
  release: string
  kubelet: string
  /** Start of the simulated present. */
  now: number
  installedAt: string
}

export const ago = (world: World, days: number): string =>
  new Date(world.now - days * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')

interface Spec {
  zone: string
  instanceType: string
  image: JsonObject
  role: string
  userData?: string
}
const providerSpec = ({ infra, region, platform }: World, { userData, ...spec }: Spec): JsonObject =>
  platform.providerSpec({ infra, region, ...spec, userData: userData ?? `${spec.role}-user-data` })

const machineLabels = (world: World, role: string, set?: string): Record<string, string> => ({
  'machine.openshift.io/cluster-api-cluster': world.infra,
  'machine.openshift.io/cluster-api-machine-role': role,
  'machine.openshift.io/cluster-api-machine-type': role,
  ...(set && { 'machine.openshift.io/cluster-api-machineset': set }),
})

/** A machine set with its machines and their nodes. */
export function machineSetSeeds(world: World, plan: SetPlan, offset: number): Seed[] {
  const name = `${world.infra}-worker-${plan.name}`
  const stuck = plan.stuck ?? 0
  const { zone, instanceType, image, userData } = plan
  const spec = providerSpec(world, { zone, instanceType, image, userData, role: 'worker' })
  const set = seed('machinesets.machine.openshift.io', world.cluster, {
    apiVersion: MACHINE,
    kind: 'MachineSet',
    name,
    namespace: API_NAMESPACE,
    labels: { 'machine.openshift.io/cluster-api-cluster': world.infra, ...plan.labels },
    annotations: { 'capacity.cluster-autoscaler.kubernetes.io/labels': 'kubernetes.io/arch=amd64' },
    createdAt: world.installedAt,
    imageBy: { ...plan.imageBy, fields: world.platform.imageFields(plan.image) },
    spec: {
      replicas: plan.replicas,
      selector: {
        matchLabels: {
          'machine.openshift.io/cluster-api-cluster': world.infra,
          'machine.openshift.io/cluster-api-machineset': name,
        },
      },
      template: {
        metadata: { labels: machineLabels(world, 'worker', name) },
        spec: { lifecycleHooks: {}, metadata: {}, providerSpec: { value: spec } },
      },
    },
    status: {
      replicas: plan.replicas,
      fullyLabeledReplicas: plan.replicas,
      readyReplicas: plan.replicas - stuck,
      availableReplicas: plan.replicas - stuck,
      observedGeneration: 1,
    },
  })
  const machines = Array.from({ length: plan.replicas }, (_, i) =>
    machineSeeds(world, {
      name: `${name}-${suffixOf(`${name}/${i}`)}`,
      set: name,
      role: 'worker',
      zone: plan.zone,
      spec,
      instanceType: plan.instanceType,
      address: offset + i,
      joined: i >= stuck,
      fresh: i >= plan.replicas - (plan.fresh ?? 0),
      days: plan.days,
      pool: plan.pool,
      slowDrain: plan.slowDrain === true && i === plan.replicas - 1,
    }),
  )
  return [set, ...machines.flat()]
}

export function controlPlaneSeeds(world: World, image: JsonObject, madeAt: string): Seed[] {
  const { platform, region } = world
  const zones = ['a', 'b', 'c'].map((letter) => platform.zone(region, letter))
  const instanceType = platform.types.master
  const spec = providerSpec(world, { zone: zones[0]!, instanceType, image, role: 'master' })
  const set = seed('controlplanemachinesets.machine.openshift.io', world.cluster, {
    apiVersion: 'machine.openshift.io/v1',
    kind: 'ControlPlaneMachineSet',
    name: 'cluster',
    namespace: API_NAMESPACE,
    labels: { 'machine.openshift.io/cluster-api-cluster': world.infra },
    createdAt: world.installedAt,
    spec: {
      replicas: 3,
      state: 'Active',
      strategy: { type: 'RollingUpdate' },
      selector: { matchLabels: machineLabels(world, 'master') },
      template: {
        machineType: 'machines_v1beta1_machine_openshift_io',
        machines_v1beta1_machine_openshift_io: {
          metadata: { labels: machineLabels(world, 'master') },
          spec: { providerSpec: { value: spec } },
        },
      },
    },
    status: {
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
      unavailableReplicas: 0,
      observedGeneration: 1,
      conditions: [],
    },
  })
  const machines = zones.map((zone, i) =>
    machineSeeds(world, {
      name: `${world.infra}-master-${i}`,
      role: 'master',
      zone,
      spec,
      instanceType,
      address: 10 + i,
      joined: true,
      madeAt,
    }),
  )
  return [set, ...machines.flat()]
}

interface MachinePlan {
  name: string
  set?: string
  role: 'master' | 'worker'
  zone: string
  spec: JsonObject
  instanceType: string
  address: number
  joined: boolean
  /** When not as its set has it. */
  madeAt?: string
  fresh?: boolean
  days?: number
  pool?: string
  slowDrain?: boolean
}

export function machineSeeds(world: World, plan: MachinePlan): Seed[] {
  const ip = `10.0.${plan.role === 'master' ? 0 : 1 + Math.floor(plan.address / 200)}.${1 + (plan.address % 200)}`
  const { platform } = world
  const node = platform.node(ip, plan.name)
  const made = plan.madeAt ?? madeAt(world, plan)
  const at = plan.joined ? latest(joinedAt(made), ago(world, plan.fresh ? 5 : 20)) : (plan.madeAt ?? ago(world, 0.08))
  const done = { lastTransitionTime: at, status: 'True' }
  const machine = seed('machines.machine.openshift.io', world.cluster, {
    apiVersion: MACHINE,
    kind: 'Machine',
    name: plan.name,
    namespace: API_NAMESPACE,
    labels: {
      ...machineLabels(world, plan.role, plan.set),
      'machine.openshift.io/instance-type': plan.instanceType,
      'machine.openshift.io/region': world.region,
      'machine.openshift.io/zone': plan.zone,
    },
    annotations: { 'machine.openshift.io/instance-state': 'running' },
    createdAt: made,
    spec: {
      lifecycleHooks: {},
      metadata: {},
      providerID: platform.providerId(plan.zone, plan.name),
      providerSpec: { value: plan.spec },
    },
    status: {
      phase: plan.joined ? 'Running' : 'Provisioned',
      lastUpdated: at,
      addresses: [
        { address: ip, type: 'InternalIP' },
        ...(plan.joined ? [{ address: node, type: 'InternalDNS' }] : []),
      ],
      ...(plan.joined && { nodeRef: { kind: 'Node', name: node, uid: uidOf(`${world.cluster}/nodes//${node}`) } }),
      conditions: ['InstanceExists', 'Drainable', 'Terminable'].map((type) => ({ type, ...done })),
      providerStatus: {
        ...platform.status(plan.name),
        conditions: [
          {
            type: 'MachineCreation',
            reason: 'MachineCreationSucceeded',
            message: 'Machine successfully created',
            ...done,
          },
        ],
      },
    },
  })
  return plan.joined ? [machine, ...nodeSeeds(world, plan, node, ip, joinedAt(made))] : [machine]
}

function madeAt(world: World, { joined, fresh, days = 240 }: MachinePlan): string {
  if (!joined) return ago(world, 0.09)
  return ago(world, fresh ? 5.01 : days)
}

/** A node joins minutes after its machine was made. */
const joinedAt = (made: string): string => new Date(Date.parse(made) + 864_000).toISOString().replace(/\.\d+Z$/, 'Z')

/** Both in UTC, and to the second. */
const latest = (a: string, b: string): string => (a > b ? a : b)

const CONFIG = 'machineconfiguration.openshift.io/'

function nodeSeeds(world: World, plan: MachinePlan, node: string, ip: string, joined: string): Seed[] {
  const pool = plan.pool ?? plan.role
  const rendered = renderedName(world.cluster, pool, 1)
  // What it reports may be of yesterday.
  const at = latest(joined, ago(world, plan.fresh ? 5 : 20))
  return [
    seed('nodes', world.cluster, {
      apiVersion: 'v1',
      kind: 'Node',
      name: node,
      labels: {
        'kubernetes.io/hostname': node,
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': plan.zone,
        'node.kubernetes.io/instance-type': plan.instanceType,
        [`node-role.kubernetes.io/${plan.role}`]: '',
        ...(plan.pool && { [`node-role.kubernetes.io/${plan.pool}`]: '' }),
      },
      annotations: {
        'machine.openshift.io/machine': `${API_NAMESPACE}/${plan.name}`,
        [`${CONFIG}currentConfig`]: rendered,
        [`${CONFIG}desiredConfig`]: rendered,
        [`${CONFIG}state`]: 'Done',
        [`${CONFIG}reason`]: '',
        [`${CONFIG}desiredDrain`]: `uncordon-${rendered}`,
        [`${CONFIG}lastAppliedDrain`]: `uncordon-${rendered}`,
        ...(plan.slowDrain && { 'drydock.test/drain': 'slow' }),
      },
      createdAt: joined,
      spec: { providerID: world.platform.providerId(plan.zone, plan.name) },
      status: {
        addresses: [{ type: 'InternalIP', address: ip }],
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: 'kubelet is posting ready status',
            lastHeartbeatTime: at,
            lastTransitionTime: at,
          },
        ],
        nodeInfo: {
          architecture: 'amd64',
          kubeletVersion: world.kubelet,
          osImage: 'Red Hat Enterprise Linux CoreOS 9.8.20260714-0',
          operatingSystem: 'linux',
        },
      },
    }),
    ...(hasNodeSteps(world.release)
      ? [
          seed('machineconfignodes.machineconfiguration.openshift.io', world.cluster, {
            apiVersion: 'machineconfiguration.openshift.io/v1',
            kind: 'MachineConfigNode',
            name: node,
            createdAt: at,
            spec: { node: { name: node }, pool: { name: pool }, configVersion: { desired: rendered } },
            status: {
              observedGeneration: 1,
              configVersion: { current: rendered, desired: rendered },
              conditions: nodeConditions(at, rendered, {}),
            },
          }),
        ]
      : []),
  ]
}

export const renderedName = (cluster: string, pool: string, round: number): string =>
  `rendered-${pool}-${uidOf(`${cluster}/${pool}/${round}`).replaceAll('-', '')}`

const STEPS = [
  'UpdatePrepared',
  'UpdateExecuted',
  'Cordoned',
  'Drained',
  'AppliedFilesAndOS',
  'UpdatePostActionComplete',
  'RebootedNode',
  'Resumed',
  'UpdateComplete',
  'Uncordoned',
]

/** A node's steps: True done, Unknown running, False not reached in this update. */
function nodeConditions(at: string, config: string, steps: Record<string, 'True' | 'Unknown'>): JsonObject[] {
  const updated = Object.keys(steps).length === 0
  const words = { True: 'done', Unknown: 'in progress', False: 'not reached in this update' } as const
  return [
    ...STEPS.map((type) => {
      const status = steps[type] ?? 'False'
      return {
        type,
        status,
        reason: status === 'False' ? 'NotYetOccurred' : type,
        message: `step ${type} ${words[status]}`,
        lastTransitionTime: at,
      }
    }),
    {
      type: 'Updated',
      status: updated ? 'True' : 'False',
      reason: 'Updated',
      message: updated ? `node is on ${config}` : `node is updating to ${config}`,
      lastTransitionTime: at,
    },
    {
      type: 'NodeDegraded',
      status: 'False',
      reason: 'NotYetOccurred',
      message: 'no degradation',
      lastTransitionTime: at,
    },
  ]
}
