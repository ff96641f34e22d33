import type { JsonObject } from '../../lib/domain/json'
import { minorOf } from '../../lib/domain/skew/version'
import { amiOf, instanceOf, uidOf } from './seed'

/** RHCOS of the release's stream, and an image of before the floor. */
const RHCOS = '9.8.20260714-0'
const EARLIER: Record<string, string> = { '4.17': '417.94.202511190652-0', '4.18': '418.94.202511191518-0' }
export const rhcosOf = (release: string): string => EARLIER[minorOf(release) ?? ''] ?? RHCOS
export const OLD_RHCOS = '412.86.202303211731-0'

export interface Place {
  infra: string
  region: string
  zone: string
  role: string
  instanceType: string
  /** The part of providerSpec that names the image. */
  image: JsonObject
  userData: string
}

/** What differs between the platforms that OpenShift runs machines on. */
export interface Platform {
  /** As Infrastructure calls it. */
  type: string
  region: string
  /** Instance types of control planes and of workers. */
  types: { master: string; worker: string }
  zone(region: string, letter: string): string
  /** Fields that name the image, as managedFields has them. */
  imageFields(image: JsonObject): JsonObject
  providerSpec(place: Place): JsonObject
  providerId(zone: string, machine: string): string
  /** providerStatus but for its conditions. */
  status(machine: string): JsonObject
  node(ip: string, machine: string): string
  infrastructure(infra: string, region: string): { spec: JsonObject; status: JsonObject }
}

const MACHINE = 'machine.openshift.io/v1beta1'
const fields = (of: string, image: JsonObject): JsonObject => ({
  [`f:${of}`]: { '.': {}, ...Object.fromEntries(Object.keys(image).map((key) => [`f:${key}`, {}])) },
})
const secret = (name: string) => ({ credentialsSecret: { name } })
const userData = ({ userData }: Place) => ({ userDataSecret: { name: userData } })

const AWS: Platform = {
  type: 'AWS',
  region: 'us-east-1',
  types: { master: 'm6i.2xlarge', worker: 'm6i.xlarge' },
  zone: (region, letter) => `${region}${letter}`,
  imageFields: (image) => fields('ami', image.ami as JsonObject),
  providerSpec: (place) => ({
    apiVersion: MACHINE,
    kind: 'AWSMachineProviderConfig',
    ...place.image,
    blockDevices: [{ ebs: { encrypted: true, volumeSize: 120, volumeType: 'gp3' } }],
    ...secret('aws-cloud-credentials'),
    iamInstanceProfile: { id: `${place.infra}-${place.role}-profile` },
    instanceType: place.instanceType,
    metadataServiceOptions: {},
    placement: { availabilityZone: place.zone, region: place.region },
    subnet: { filters: [{ name: 'tag:Name', values: [`${place.infra}-subnet-private-${place.zone}`] }] },
    tags: [{ name: `kubernetes.io/cluster/${place.infra}`, value: 'owned' }],
    ...userData(place),
  }),
  providerId: (zone, machine) => `aws:///${zone}/${instanceOf(machine)}`,
  status: (machine) => ({
    ...{ apiVersion: MACHINE, kind: 'AWSMachineProviderStatus' },
    ...{ instanceId: instanceOf(machine), instanceState: 'running' },
  }),
  node: (ip) => `ip-${ip.replaceAll('.', '-')}.ec2.internal`,
  infrastructure: (_infra, region) => ({ spec: { aws: {} }, status: { aws: { region } } }),
}

const GCP: Platform = {
  type: 'GCP',
  region: 'europe-west4',
  types: { master: 'n2-standard-8', worker: 'n2-standard-4' },
  zone: (region, letter) => `${region}-${letter}`,
  imageFields: () => ({ 'f:disks': {} }),
  providerSpec: (place) => ({
    apiVersion: MACHINE,
    kind: 'GCPMachineProviderSpec',
    canIPForward: false,
    ...secret('gcp-cloud-credentials'),
    deletionProtection: false,
    disks: [{ autoDelete: true, boot: true, ...place.image, sizeGb: 128, type: 'pd-ssd' }],
    machineType: place.instanceType,
    networkInterfaces: [{ network: `${place.infra}-network`, subnetwork: `${place.infra}-${place.role}-subnet` }],
    ...{ projectID: 'acme-clusters', region: place.region, zone: place.zone, tags: [`${place.infra}-${place.role}`] },
    ...userData(place),
  }),
  providerId: (zone, machine) => `gce://acme-clusters/${zone}/${machine}`,
  status: (machine) => ({
    ...{ apiVersion: MACHINE, kind: 'GCPMachineProviderStatus', instanceId: machine, instanceState: 'RUNNING' },
  }),
  node: (_ip, machine) => machine,
  infrastructure: (_infra, region) => ({ spec: { gcp: {} }, status: { gcp: { projectID: 'acme-clusters', region } } }),
}

const Azure: Platform = {
  type: 'Azure',
  region: 'westeurope',
  types: { master: 'Standard_D8s_v5', worker: 'Standard_D4s_v5' },
  zone: (_region, letter) => String('abc'.indexOf(letter) + 1),
  imageFields: (image) => fields('image', image.image as JsonObject),
  providerSpec: (place) => ({
    apiVersion: MACHINE,
    kind: 'AzureMachineProviderSpec',
    ...{ credentialsSecret: { name: 'azure-cloud-credentials', namespace: 'openshift-machine-api' } },
    ...place.image,
    location: place.region,
    managedIdentity: `${place.infra}-identity`,
    networkResourceGroup: `${place.infra}-rg`,
    osDisk: { diskSizeGB: 128, osType: 'Linux' },
    ...{ publicIP: false, resourceGroup: `${place.infra}-rg`, subnet: `${place.infra}-${place.role}-subnet` },
    ...{ vmSize: place.instanceType, vnet: `${place.infra}-vnet`, zone: place.zone },
    ...userData(place),
  }),
  providerId: (_zone, machine) =>
    `azure:///subscriptions/${uidOf('subscription')}/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/${machine}`,
  status: (machine) => ({
    ...{ apiVersion: MACHINE, kind: 'AzureMachineProviderStatus', vmId: uidOf(machine), vmState: 'Running' },
  }),
  node: (_ip, machine) => machine,
  infrastructure: (infra) => ({
    spec: { azure: {} },
    status: { azure: { cloudName: 'AzurePublicCloud', resourceGroupName: `${infra}-rg` } },
  }),
}

const VCENTER = 'vcenter.example.test'
const topology = (infra: string) => ({
  ...{ datacenter: 'dc-east', datastore: '/dc-east/datastore/ds-1', folder: `/dc-east/vm/${infra}` },
  resourcePool: '/dc-east/host/cluster-1/Resources',
})

const VSphere: Platform = {
  type: 'VSphere',
  region: 'eu',
  types: { master: '8 CPUs', worker: '4 CPUs' },
  zone: () => 'fd-east',
  imageFields: () => ({ 'f:template': {} }),
  providerSpec: (place) => ({
    apiVersion: MACHINE,
    kind: 'VSphereMachineProviderSpec',
    ...secret('vsphere-cloud-credentials'),
    ...{ diskGiB: 120, memoryMiB: 16384, network: { devices: [{ networkName: 'ocp-segment' }] } },
    ...{ numCPUs: Number(place.instanceType.split(' ')[0]), numCoresPerSocket: 4, snapshot: '' },
    ...place.image,
    workspace: { ...topology(place.infra), server: VCENTER },
    ...userData(place),
  }),
  providerId: (_zone, machine) => `vsphere://${uidOf(machine)}`,
  status: (machine) => ({
    ...{ apiVersion: MACHINE, kind: 'VSphereMachineProviderStatus' },
    ...{ instanceId: uidOf(machine), instanceState: 'poweredOn', taskRef: 'task-1051' },
  }),
  node: (_ip, machine) => machine,
  infrastructure: (infra) => {
    const at = { ...topology(infra), computeCluster: '/dc-east/host/cluster-1', networks: ['ocp-segment'] }
    return {
      spec: {
        vsphere: {
          failureDomains: [{ name: 'fd-east', region: 'eu', zone: 'fd-east', server: VCENTER, topology: at }],
          vcenters: [{ datacenters: ['dc-east'], server: VCENTER }],
        },
      },
      status: { vsphere: { loadBalancer: { type: 'OpenShiftManagedDefault' } } },
    }
  },
}

/** The operator updates no boot images there. */
const BareMetal: Platform = {
  type: 'BareMetal',
  region: 'hall-2',
  types: { master: 'host', worker: 'host' },
  zone: () => 'hall-2',
  imageFields: () => ({ 'f:image': {} }),
  providerSpec: (place) => ({
    ...{ apiVersion: 'baremetal.cluster.k8s.io/v1alpha1', kind: 'BareMetalMachineProviderSpec' },
    ...{ ...place.image, hostSelector: {}, metadata: { creationTimestamp: null } },
    userData: { name: `${place.userData}-managed` },
  }),
  providerId: (_zone, machine) => `baremetalhost:///openshift-machine-api/${machine}/${uidOf(machine)}`,
  status: () => ({}),
  node: (_ip, machine) => machine,
  infrastructure: () => ({
    spec: { baremetal: {} },
    status: { baremetal: { apiServerInternalIPs: ['192.0.2.5'], ingressIPs: ['192.0.2.6'] } },
  }),
}

export const PLATFORMS = { AWS, GCP, Azure, VSphere, BareMetal } as const
export type PlatformName = keyof typeof PLATFORMS
export const PLATFORM_NAMES = Object.keys(PLATFORMS) as PlatformName[]

export const gcpImage = (rhcos: string): JsonObject => ({
  image: `projects/rhcos-cloud/global/images/rhcos-${rhcos.replaceAll('.', '-')}-gcp-x86-64`,
})
export const amiImage = (release: string, region: string): JsonObject => ({ ami: { id: amiOf(release, region) } })
