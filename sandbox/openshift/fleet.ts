import type { JsonObject } from '../../lib/domain/json'
import { minorOf } from '../../lib/domain/skew/version'
import { nextMinor } from '../../lib/domain/upgradeable/next-update'
import { ago, amiOf, controlPlaneSeeds, machineSetSeeds, type SetPlan, type World } from './machines'
import { poolSeeds } from './pools'
import { seed, type Seed } from './seed'

export interface OpenShiftFleetOptions {
  /** Name of the management cluster; "tidal" where not given. */
  name?: string
  /** Machines in all, control plane included; 41 where not given. */
  machines?: number
  /** Simulated present in ms. */
  now?: number
  release?: string
  /** What administrators have to acknowledge; one gate of the release where not given. */
  gates?: Record<string, string>
}

const HISTORY: [string, number][] = [
  ['4.21.14', 150],
  ['4.20.9', 260],
  ['4.19.12', 380],
  ['4.18.20', 500],
  ['4.17.15', 620],
  ['4.16.0', 800],
  ['4.15.11', 920],
  ['4.14.8', 1040],
  ['4.13.21', 1150],
  ['4.12.7', 1280],
]

/**
 * An OpenShift cluster on AWS that was installed with 4.12.7. Its machine sets were once all updated by the operator, under 4.16.0;
 * then that was narrowed to one set, and the record fell back to the version of the installation, below the floor.
 */
export function openShiftFleet(options: OpenShiftFleetOptions = {}): Seed[] {
  const { name = 'tidal', machines = 41, now = Date.now(), release = '4.22.4', gates } = options
  const world: World = {
    cluster: name,
    infra: `${name}-7k2qd`,
    region: 'us-east-1',
    release,
    kubelet: 'v1.35.4',
    now,
    installedAt: '',
  }
  world.installedAt = ago(world, 1280)
  const plans = setPlans(world, machines - 3)
  let offset = 20
  const sets = plans.flatMap((plan) => {
    const seeds = machineSetSeeds(world, plan, offset)
    offset += plan.replicas
    return seeds
  })
  const workers = plans.reduce((sum, plan) => sum + plan.replicas - (plan.stuck ?? 0), 0)
  const gpus = plans.reduce((sum, plan) => sum + (plan.pool ? plan.replicas : 0), 0)
  return [
    ...NAMESPACES.map((namespace) =>
      seed('namespaces', name, {
        apiVersion: 'v1',
        kind: 'Namespace',
        name: namespace,
        createdAt: world.installedAt,
        status: { phase: 'Active' },
      }),
    ),
    ...configSeeds(world),
    administratorSeed(world, 'openshift-config-managed', 'admin-gates', gates ?? gateFor(release)),
    administratorSeed(world, 'openshift-config', 'admin-acks'),
    ...secretSeeds(world),
    ...controlPlaneSeeds(world, amiOf('4.16.0', world.region)),
    ...sets,
    ...poolSeeds(world, { master: 3, worker: workers - gpus, gpu: gpus }),
  ]
}

const CONFIG_NAMESPACES = ['openshift-config', 'openshift-config-managed']
const NAMESPACES = ['openshift-machine-api', 'openshift-machine-config-operator', ...CONFIG_NAMESPACES]

/** Every cluster has both, empty where the release asks nothing of an administrator. */
const administratorSeed = (
  { cluster, installedAt }: World,
  namespace: string,
  name: string,
  data?: Record<string, string>,
): Seed =>
  seed('configmaps', cluster, { apiVersion: 'v1', kind: 'ConfigMap', name, namespace, createdAt: installedAt, data })

/** An invented gate of the kind that most releases have. */
function gateFor(release: string): Record<string, string> {
  const minor = minorOf(release) ?? release
  const next = nextMinor(release) ?? 'the next minor version'
  return {
    [`ack-${minor}-api-removals-in-${next}`]: `OpenShift ${next} brings a Kubernetes that no longer serves some beta APIs. Confirm that nothing in this cluster asks for them any more. See https://docs.example.com/removed-apis for how to find out.`,
  }
}

/** What the boot image controller reads before it writes an image: keys for AWS, and the user data that machines start with. */
function secretSeeds(world: World): Seed[] {
  const userData = (role: string): Record<string, string> => ({
    userData: JSON.stringify({
      ignition: {
        version: '3.2.0',
        config: { merge: [{ source: `https://api-int.${world.cluster}.example:22623/config/${role}` }] },
      },
    }),
  })
  const secrets: Record<string, Record<string, string>> = {
    'aws-cloud-credentials': { aws_access_key_id: 'simulated', aws_secret_access_key: 'simulated' },
    'master-user-data': userData('master'),
    'worker-user-data': userData('worker'),
  }
  return Object.entries(secrets).map(([name, data]) =>
    seed('secrets', world.cluster, {
      apiVersion: 'v1',
      kind: 'Secret',
      name,
      namespace: 'openshift-machine-api',
      createdAt: world.installedAt,
      data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')])),
    }),
  )
}

function setPlans(world: World, workers: number): SetPlan[] {
  const share = (of38: number) => Math.max(1, Math.round((of38 / 38) * workers))
  const byOperator = (days: number) => ({ manager: 'machine-config-controller', at: ago(world, days) })
  const [b, c, gpu] = [share(14), share(8), share(2)]
  const old = { id: amiOf('4.16.0', world.region) }
  const set = (suffix: string, replicas: number, more: Partial<SetPlan>): SetPlan => ({
    name: `${world.region}${suffix}`,
    zone: `${world.region}${suffix}`,
    replicas,
    instanceType: 'm6i.xlarge',
    ami: old,
    imageBy: byOperator(790),
    ...more,
  })
  return [
    set('a', Math.max(1, workers - b - c - gpu), {}),
    set('b', b, { stuck: 1 }),
    set('c', c, {
      ami: { id: amiOf(world.release, world.region) },
      labels: { 'example.com/boot-image': 'managed' },
      imageBy: byOperator(19),
      slowDrain: true,
    }),
    {
      name: 'gpu',
      zone: `${world.region}a`,
      replicas: gpu,
      instanceType: 'g6.4xlarge',
      ami: { filters: [{ name: 'tag:Name', values: ['golden-gpu'] }] },
      pool: 'gpu',
      imageBy: { manager: 'kubectl-edit', at: ago(world, 400) },
    },
  ]
}

const CONFIG = 'config.openshift.io/v1'

function configSeeds(world: World): Seed[] {
  const { cluster, release } = world
  const history = [[release, 20] as [string, number], ...HISTORY].map(([version, days]) => ({
    version,
    state: 'Completed',
    image: `quay.io/example/ocp-release@sha256:${version.replaceAll('.', '').padStart(64, '0')}`,
    startedTime: ago(world, days + 0.06),
    completionTime: ago(world, days),
    verified: true,
  }))
  const at = ago(world, 20)
  const condition = (type: string, status: string, message = '', reason = 'AsExpected') => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: at,
  })
  const operator = (name: string): Seed =>
    seed('clusteroperators.config.openshift.io', cluster, {
      apiVersion: CONFIG,
      kind: 'ClusterOperator',
      name,
      createdAt: world.installedAt,
      spec: {},
      status: {
        versions: [{ name: 'operator', version: release }],
        conditions: [
          condition('Available', 'True'),
          condition('Progressing', 'False'),
          condition('Degraded', 'False'),
          condition('Upgradeable', 'True'),
        ],
      },
    })
  return [
    seed('clusterversions.config.openshift.io', cluster, {
      apiVersion: CONFIG,
      kind: 'ClusterVersion',
      name: 'version',
      createdAt: world.installedAt,
      spec: { channel: 'stable-4.22', clusterID: '5b2d7c1e-3f4a-4c5d-9e6f-7a8b9c0d1e2f' },
      status: {
        desired: { version: release, image: history[0]!.image, channels: ['stable-4.22', 'stable-4.23'] },
        history,
        observedGeneration: 1,
        versionHash: 'sandbox',
        availableUpdates: [
          { version: '4.22.6', image: 'quay.io/example/ocp-release@sha256:next', channels: ['stable-4.22'] },
          { version: '4.23.1', image: 'quay.io/example/ocp-release@sha256:minor', channels: ['stable-4.23'] },
        ],
        conditions: [
          condition('Available', 'True', `Done applying ${release}`),
          condition('Failing', 'False'),
          condition('Progressing', 'False', `Cluster version is ${release}`),
          condition('RetrievedUpdates', 'True'),
        ],
      },
    }),
    seed('infrastructures.config.openshift.io', cluster, {
      apiVersion: CONFIG,
      kind: 'Infrastructure',
      name: 'cluster',
      createdAt: world.installedAt,
      spec: { platformSpec: { type: 'AWS', aws: {} } },
      status: {
        infrastructureName: world.infra,
        platform: 'AWS',
        platformStatus: { type: 'AWS', aws: { region: world.region } },
        controlPlaneTopology: 'HighlyAvailable',
        infrastructureTopology: 'HighlyAvailable',
        apiServerURL: 'https://api.tidal.example:6443',
      },
    }),
    ...['machine-config', 'machine-api', 'kube-apiserver', 'etcd', 'network'].map(operator),
    bootImages(world),
    machineConfiguration(world),
  ]
}

function bootImages(world: World): Seed {
  const rhcos = '9.8.20260714-0'
  const arch = (name: string, regions: string[]): JsonObject => ({
    artifacts: { aws: { release: rhcos, formats: {} }, gcp: { release: rhcos, formats: {} } },
    images: {
      aws: {
        regions: Object.fromEntries(
          regions.map((r) => [
            r,
            { release: rhcos, image: amiOf(name === 'x86_64' ? world.release : `${world.release}-${name}`, r) },
          ]),
        ),
      },
      gcp: { release: rhcos, project: 'rhcos-cloud', name: `rhcos-9-8-20260714-0-gcp-${name.replace('_', '-')}` },
    },
  })
  const stream = {
    stream: 'rhel-9.8',
    metadata: { 'last-modified': ago(world, 40) },
    architectures: {
      x86_64: arch('x86_64', ['us-east-1', 'us-west-2', 'eu-west-1']),
      aarch64: arch('aarch64', ['us-east-1', 'eu-west-1']),
    },
  }
  return seed('configmaps', world.cluster, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'coreos-bootimages',
    namespace: 'openshift-machine-config-operator',
    createdAt: world.installedAt,
    data: {
      releaseVersion: world.release,
      stream: JSON.stringify(stream),
      MCOReleaseImageVersion: world.release,
      MCOVersionHash: '0'.repeat(40),
    },
  })
}

/** Only the sets with the label are updated, which is why the operator records the version of the installation. */
function machineConfiguration(world: World): Seed {
  return seed('machineconfigurations.operator.openshift.io', world.cluster, {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'MachineConfiguration',
    name: 'cluster',
    createdAt: world.installedAt,
    spec: {
      managementState: 'Managed',
      logLevel: 'Normal',
      operatorLogLevel: 'Normal',
      managedBootImages: {
        machineManagers: [
          {
            resource: 'machinesets',
            apiGroup: 'machine.openshift.io',
            selection: {
              mode: 'Partial',
              partial: { machineResourceSelector: { matchLabels: { 'example.com/boot-image': 'managed' } } },
            },
          },
        ],
      },
    },
  })
}
