import type { JsonObject } from '../../json'

const RELEASE = '9.9.20990101-0'

/** A file of a platform, by its format; addresses, names and sums are invented. */
const file = (platform: string, format: string): JsonObject => ({
  release: RELEASE,
  formats: { [format]: { disk: { location: `https://x.test/${platform}.${format}`, sha256: '00' } } },
})
const files = (of: Record<string, string>): JsonObject =>
  Object.fromEntries(Object.entries(of).map(([platform, format]) => [platform, file(platform, format)]))

const regions = (entry: (region: string) => JsonObject): JsonObject => ({
  regions: Object.fromEntries(['here', 'there'].map((region) => [region, { release: RELEASE, ...entry(region) }])),
})
const aws = regions((region) => ({ image: `ami-${region}` }))
const gcp = { release: RELEASE, project: 'p', name: 'n' }

const offer = (plan: string): JsonObject => ({ publisher: 'p', offer: plan, sku: 's', version: '1.0.0' })
const azure = (plans: string[], generations = ['hyperVGen2']): JsonObject => ({
  marketplace: {
    azure: Object.fromEntries(
      plans.map((plan) => [plan, Object.fromEntries(generations.map((generation) => [generation, offer(plan)]))]),
    ),
  },
})

/** A release's stream with all that one names, by its shape (stream-metadata-go, and the extensions of OpenShift): two regions each. */
export const STREAM: JsonObject = {
  stream: 'test',
  architectures: {
    x86_64: {
      artifacts: files({
        ...{ aws: 'vmdk.gz', azure: 'vhd.gz', azurestack: 'vhd.gz', gcp: 'tar.gz', ibmcloud: 'qcow2.gz' },
        ...{ kubevirt: 'ociarchive', metal: 'iso', nutanix: 'qcow2', openstack: 'qcow2.gz', vmware: 'ova' },
      }),
      images: { aws, gcp, kubevirt: { release: RELEASE, 'digest-ref': 'x.test/rhcos@sha256:00' } },
      'rhel-coreos-extensions': azure(
        ['no-purchase-plan', ...['ocp', 'opp', 'oke'].flatMap((plan) => [plan, `${plan}-emea`])],
        ['hyperVGen1', 'hyperVGen2'],
      ),
    },
    aarch64: {
      artifacts: files({ aws: 'vmdk.gz', azure: 'vhd.gz', gcp: 'tar.gz', metal: 'iso', openstack: 'qcow2.gz' }),
      images: { aws, gcp },
      'rhel-coreos-extensions': azure(['no-purchase-plan']),
    },
    ppc64le: {
      artifacts: files({ metal: 'iso', openstack: 'qcow2.gz', powervs: 'ova.gz' }),
      images: { powervs: regions((region) => ({ object: 'o', bucket: `b-${region}`, url: 'https://x.test/o' })) },
    },
    s390x: { artifacts: files({ ibmcloud: 'qcow2.gz', metal: 'iso', openstack: 'qcow2.gz' }) },
  },
}
