import type { JsonObject } from '../../lib/domain/json'
import { ago, type SetPlan, type World } from './machines'
import { amiImage, gcpImage, OLD_RHCOS, rhcosOf, type PlatformName } from './platforms'
import { amiOf } from './seed'

/** Label of the sets that the operator keeps current, where it does so for some only. */
export const MANAGED = { 'example.com/boot-image': 'managed' }

/** What is in the cluster of a platform: its machine sets, and the part of MachineConfiguration that says which are managed. */
export interface Fleet {
  sets: SetPlan[]
  plane: JsonObject
  /** When the machines of the control plane were replaced last, in days ago; absent: never. */
  planeDays?: number
  managed: 'All' | 'Partial' | 'None' | null
}

export function fleetOf(world: World, workers: number): Fleet {
  return FLEETS[world.platform.type as PlatformName](world, workers)
}

const byOperator = (world: World, days: number) => ({ manager: 'machine-config-controller', at: ago(world, days) })
/** Made again since the operator wrote the image of the release into their set: a machine keeps the image it was made with. */
const SINCE = 18
const installer = (world: World) => ({ manager: 'cluster-bootstrap', at: world.installedAt })
const plan = (
  world: World,
  name: string,
  replicas: number,
  more: Pick<SetPlan, 'image'> & Partial<SetPlan>,
): SetPlan => ({
  ...{ name, zone: world.platform.zone(world.region, 'a'), replicas, instanceType: world.platform.types.worker },
  imageBy: installer(world),
  ...more,
})

/** Azure's offer of the release, and one of before it. */
const aro = (sku: string, version: string): JsonObject => ({
  image: { ...{ publisher: 'azureopenshift', offer: 'aro4', sku, version }, resourceID: '', type: 'MarketplaceNoPlan' },
})
const AZURE_OFFER = { publisher: 'azureopenshift', offer: 'aro4', version: '9.6.20251015' }

const FLEETS: Record<PlatformName, (world: World, workers: number) => Fleet> = {
  /** Once updated by the operator under 4.16.0; then that was narrowed to one set. A machine of the second one does not join since. */
  AWS(world, workers) {
    const { region, release } = world
    const share = (of38: number) => Math.max(1, Math.round((of38 / 38) * workers))
    const [b, c, gpu] = [share(14), share(8), share(2)]
    const set = (letter: string, replicas: number, more: Partial<SetPlan>): SetPlan => {
      const zone = world.platform.zone(region, letter)
      const image = amiImage('4.16.0', region)
      return plan(world, zone, replicas, { zone, image, imageBy: byOperator(world, 790), ...more })
    }
    return {
      sets: [
        set('a', Math.max(1, workers - b - c - gpu), {}),
        set('b', b, { stuck: 1 }),
        set('c', c, {
          ...{ image: amiImage(release, region), labels: MANAGED, imageBy: byOperator(world, 19) },
          ...{ slowDrain: true, fresh: 1, days: SINCE },
        }),
        plan(world, 'gpu', gpu, {
          ...{ instanceType: 'g6.4xlarge', pool: 'gpu', image: { ami: { filters: GOLDEN } } },
          imageBy: { manager: 'kubectl-edit', at: ago(world, 400) },
        }),
      ],
      plane: amiImage('4.16.0', region),
      planeDays: 780,
      managed: 'Partial',
    }
  },
  /** One set was left behind with an image of before the floor and a stub of Ignition 2: its newest machine does not join. */
  GCP: (world, workers) => ({
    sets: [
      plan(world, 'a', Math.max(1, workers - 3), {
        ...{ image: gcpImage(rhcosOf(world.release)), labels: MANAGED, imageBy: byOperator(world, 19) },
        ...{ fresh: 1, days: SINCE },
      }),
      plan(world, 'legacy', 3, {
        ...{ image: gcpImage(OLD_RHCOS), stuck: 1, userData: 'legacy-user-data' },
        imageBy: { manager: 'kubectl-edit', at: ago(world, 300) },
        zone: world.platform.zone(world.region, 'b'),
      }),
    ],
    plane: gcpImage(rhcosOf(world.release)),
    planeDays: SINCE,
    managed: 'Partial',
  }),
  /** A machine with the image of the release does not join: that is something else. */
  Azure: (world, workers) => ({
    sets: [
      plan(world, '1', Math.max(2, workers - 2), {
        ...{ image: aro('422-v2', AZURE_OFFER.version), imageBy: byOperator(world, 19) },
        ...{ stuck: 1, days: SINCE },
      }),
      plan(world, '2', 2, { image: aro('413-v2', '413.92.20230310'), labels: { 'example.com/frozen': 'true' } }),
    ],
    plane: aro('422-v2', AZURE_OFFER.version),
    planeDays: SINCE,
    managed: 'None',
  }),
  VSphere: (world, workers) => ({
    sets: [plan(world, 'fd1', workers, { image: { template: `${world.infra}-rhcos-fd-east` } })],
    plane: { template: `${world.infra}-rhcos-fd-east` },
    managed: 'None',
  }),
  BareMetal: (world, workers) => ({
    sets: [
      plan(world, '0', workers, { image: { image: { url: 'https://images.example.test/rhcos.qcow2', checksum: '' } } }),
    ],
    plane: { image: { url: 'https://images.example.test/rhcos.qcow2', checksum: '' } },
    managed: null,
  }),
}

const GOLDEN = [{ name: 'tag:Name', values: ['golden-gpu'] }]

/** The release's stream, as far as the platforms of the sandbox need it. */
export function streamOf(world: World): JsonObject {
  const release = rhcosOf(world.release)
  const arch = (name: string, regions: string[]): JsonObject => ({
    artifacts: {
      ...{ aws: { release, formats: {} }, gcp: { release, formats: {} } },
      vmware: {
        release,
        formats: { ova: { disk: { location: 'https://images.example.test/x.ova', sha256: '00' } } },
      },
    },
    images: {
      aws: {
        regions: Object.fromEntries(
          regions.map((r) => [
            r,
            { release, image: amiOf(name === 'x86_64' ? world.release : `${world.release}-${name}`, r) },
          ]),
        ),
      },
      gcp: {
        release,
        project: 'rhcos-cloud',
        name: `rhcos-${release.replaceAll('.', '-')}-gcp-${name.replace('_', '-')}`,
      },
    },
    'rhel-coreos-extensions': {
      marketplace: {
        azure: {
          'no-purchase-plan': {
            hyperVGen1: { ...AZURE_OFFER, sku: 'aro_422' },
            hyperVGen2: { ...AZURE_OFFER, sku: '422-v2' },
          },
        },
      },
    },
  })
  return {
    stream: 'rhel-9.8',
    metadata: { 'last-modified': ago(world, 40) },
    architectures: {
      x86_64: arch('x86_64', ['us-east-1', 'us-west-2', 'eu-west-1']),
      aarch64: arch('aarch64', ['us-east-1', 'eu-west-1']),
    },
  }
}
