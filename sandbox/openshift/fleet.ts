import type { JsonObject } from '../../lib/domain/json'
import { compareVersions, minorOf, parseVersion } from '../../lib/domain/skew/version'
import { nextMinor } from '../../lib/domain/upgradeable/next-update'
import { ago, controlPlaneSeeds, machineSetSeeds, type World } from './machines'
import { PLATFORMS, type PlatformName } from './platforms'
import { poolSeeds } from './pools'
import { seed, type Seed } from './seed'
import { fleetOf, MANAGED, streamOf, type Fleet } from './worlds'

export interface OpenShiftFleetOptions {
  /** Name of the management cluster; "tidal" where not given. */
  name?: string
  /** What it runs on; AWS where not given. */
  platform?: PlatformName
  /** Machines in all, control plane included; 41 on AWS and 9 elsewhere where not given. */
  machines?: number
  /** Simulated present in ms. */
  now?: number
  release?: string
  /** Nobody has said which machine sets are managed. */
  unsaid?: boolean
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
 * An OpenShift cluster that was installed with 4.12.7. On AWS its machine sets were once all updated by the operator, under 4.16.0;
 * then that was narrowed to one set, and the record fell back to the version of the installation, below the floor. What there is on
 * the other platforms, see worlds.ts; those were installed later.
 */
export function openShiftFleet(options: OpenShiftFleetOptions = {}): Seed[] {
  const { name = 'tidal', platform = 'AWS', now = Date.now(), release = '4.22.4', gates, unsaid = false } = options
  const { machines = platform === 'AWS' ? 41 : 9 } = options
  const world: World = {
    cluster: name,
    infra: `${name}-7k2qd`,
    platform: PLATFORMS[platform],
    region: PLATFORMS[platform].region,
    release,
    kubelet: kubernetesOf(release),
    now,
    installedAt: '',
  }
  world.installedAt = ago(world, historyOf(world).at(-1)![1])
  const fleet = fleetOf(world, machines - 3)
  const plans = fleet.sets
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
    ...configSeeds(world, unsaid ? { ...fleet, managed: null } : fleet),
    administratorSeed(world, 'openshift-config-managed', 'admin-gates', gates ?? gateFor(release)),
    administratorSeed(world, 'openshift-config', 'admin-acks'),
    ...secretSeeds(world),
    ...controlPlaneSeeds(
      world,
      fleet.plane,
      fleet.planeDays === undefined ? world.installedAt : ago(world, fleet.planeDays),
    ),
    ...sets,
    ...poolSeeds(world, { master: 3, worker: workers - gpus, gpu: gpus }),
  ]
}

/** Clusters beside that on AWS were installed with a release that is accepted still. */
const historyOf = ({ platform, release }: World): [string, number][] =>
  HISTORY.filter(
    ([version, days]) =>
      compareVersions(parseVersion(version)!, parseVersion(release)!) < 0 && (platform.type === 'AWS' || days <= 1040),
  )

const laterPatch = (release: string): string => release.replace(/\d+$/, (patch) => String(Number(patch) + 2))

/** Kubernetes of a release: 4.22 has 1.35. */
export const kubernetesOf = (release = '4.22.4'): string => {
  const [major, minor] = parseVersion(release)!.map(Number)
  return `v1.${Math.min(major === 4 ? minor! + 13 : 36, 35)}.4`
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

/** What the boot image controller reads before it writes an image: keys for AWS (of no use elsewhere), and the user data that machines start with. */
function secretSeeds(world: World): Seed[] {
  const userData = (role: string, version = '3.2.0'): Record<string, string> => {
    const source = `https://api-int.${world.cluster}.example:22623/config/${role}`
    const config = version.startsWith('2') ? { append: [{ source }] } : { merge: [{ source }] }
    return { userData: JSON.stringify({ ignition: { version, config } }) }
  }
  const secrets: Record<string, Record<string, string>> = {
    'aws-cloud-credentials': { aws_access_key_id: 'simulated', aws_secret_access_key: 'simulated' },
    'master-user-data': userData('master'),
    'worker-user-data': userData('worker'),
    ...(world.platform.type === 'GCP' && { 'legacy-user-data': userData('worker', '2.2.0') }),
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

const CONFIG = 'config.openshift.io/v1'

function configSeeds(world: World, { managed }: Fleet): Seed[] {
  const { cluster, release } = world
  const [minor, next] = [minorOf(release)!, nextMinor(release)!]
  const [stable, later] = [`stable-${minor}`, `stable-${next}`]
  const { type, infrastructure } = world.platform
  const platform = infrastructure(world.infra, world.region)
  const history = [[release, 20] as [string, number], ...historyOf(world)].map(([version, days]) => ({
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
      spec: { channel: stable, clusterID: '5b2d7c1e-3f4a-4c5d-9e6f-7a8b9c0d1e2f' },
      status: {
        desired: { version: release, image: history[0]!.image, channels: [stable, later] },
        history,
        observedGeneration: 1,
        versionHash: 'sandbox',
        availableUpdates: [
          { version: laterPatch(release), image: 'quay.io/example/ocp-release@sha256:next', channels: [stable] },
          { version: `${next}.1`, image: 'quay.io/example/ocp-release@sha256:minor', channels: [later] },
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
      spec: { platformSpec: { type, ...platform.spec } },
      status: {
        infrastructureName: world.infra,
        platform: type,
        platformStatus: { type, ...platform.status },
        controlPlaneTopology: 'HighlyAvailable',
        infrastructureTopology: 'HighlyAvailable',
        apiServerURL: `https://api.${cluster}.example:6443`,
      },
    }),
    ...['machine-config', 'machine-api', 'kube-apiserver', 'etcd', 'network'].map(operator),
    bootImages(world),
    machineConfiguration(world, managed),
  ]
}

function bootImages(world: World): Seed {
  return seed('configmaps', world.cluster, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'coreos-bootimages',
    namespace: 'openshift-machine-config-operator',
    createdAt: world.installedAt,
    data: {
      releaseVersion: world.release,
      stream: JSON.stringify(streamOf(world)),
      MCOReleaseImageVersion: world.release,
      MCOVersionHash: '0'.repeat(40),
    },
  })
}

/** Where only the sets with the label are updated, the operator records the version of the installation. */
function machineConfiguration(world: World, managed: Fleet['managed']): Seed {
  const selection: JsonObject =
    managed === 'Partial'
      ? { mode: managed, partial: { machineResourceSelector: { matchLabels: MANAGED } } }
      : { mode: managed }
  return seed('machineconfigurations.operator.openshift.io', world.cluster, {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'MachineConfiguration',
    name: 'cluster',
    createdAt: world.installedAt,
    spec: {
      managementState: 'Managed',
      logLevel: 'Normal',
      operatorLogLevel: 'Normal',
      ...(managed && {
        managedBootImages: {
          machineManagers: [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection }],
        },
      }),
    },
  })
}
