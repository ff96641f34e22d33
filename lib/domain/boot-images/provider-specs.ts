import { TEXTS, type Shape } from './written'

/** Provider specs as openshift/api's machine/v1beta1 had them on 2026-08-20: what the operator keeps of a set when it writes. */
const metadata: Shape = {
  name: 'text',
  generateName: 'text',
  namespace: 'text',
  selfLink: 'text',
  uid: 'text',
  resourceVersion: 'text',
  generation: 'whole',
  'creationTimestamp?': 'any',
  'deletionTimestamp?': 'any',
  'deletionGracePeriodSeconds?': 'whole',
  labels: TEXTS,
  annotations: TEXTS,
  ownerReferences: ['any'],
  finalizers: ['text'],
  managedFields: ['any'],
}
const named: Shape = { name: 'text' }
const common = { kind: 'text', apiVersion: 'text', 'metadata!': metadata } as const
const secrets = { 'userDataSecret?': named, 'credentialsSecret?': named } as const

const reference: Shape = { 'id?': 'text', 'arn?': 'text', filters: [{ 'name!': 'text', values: ['text'] }] }
const tag: Shape = { 'name!': 'text', 'value!': 'text' }

export const AWS_SPEC: Shape = {
  ...common,
  ...secrets,
  'ami!': reference,
  'instanceType!': 'text',
  'cpuOptions?': { 'confidentialCompute?': 'text' },
  tags: [tag],
  'iamInstanceProfile?': reference,
  'keyName?': 'text',
  'deviceIndex!': 'whole',
  'publicIp?': 'truth',
  networkInterfaceType: 'text',
  securityGroups: [reference],
  'subnet!': reference,
  'placement!': {
    region: 'text',
    availabilityZone: 'text',
    tenancy: 'text',
    'host?': {
      'affinity?': 'text',
      'dedicatedHost?': {
        'allocationStrategy?': 'text',
        id: 'text',
        'dynamicHostAllocation?': { 'tags?': [tag] },
      },
    },
  },
  loadBalancers: [{ 'name!': 'text', 'type!': 'text' }],
  blockDevices: [
    {
      'deviceName?': 'text',
      'ebs?': {
        'deleteOnTermination?': 'truth',
        'encrypted?': 'truth',
        'kmsKey!': reference,
        'iops?': 'whole',
        'throughputMib?': 'whole',
        'volumeSize?': 'whole',
        'volumeType?': 'text',
      },
      'noDevice?': 'text',
      'virtualName?': 'text',
    },
  ],
  'spotMarketOptions?': { 'maxPrice?': 'text' },
  'metadataServiceOptions!': { authentication: 'text' },
  placementGroupName: 'text',
  'placementGroupPartition?': 'whole',
  'capacityReservationId!': 'text',
  marketType: 'text',
}

export const GCP_SPEC: Shape = {
  ...common,
  ...secrets,
  'canIPForward!': 'truth',
  'deletionProtection!': 'truth',
  disks: [
    {
      'autoDelete!': 'truth',
      'boot!': 'truth',
      'sizeGb!': 'whole',
      'type!': 'text',
      'image!': 'text',
      'labels!': TEXTS,
      'encryptionKey?': {
        'kmsKey?': { 'name!': 'text', 'keyRing!': 'text', projectID: 'text', 'location!': 'text' },
        kmsKeyServiceAccount: 'text',
      },
    },
  ],
  labels: TEXTS,
  gcpMetadata: [{ 'key!': 'text', 'value!': 'any' }],
  networkInterfaces: [{ publicIP: 'truth', network: 'text', projectID: 'text', subnetwork: 'text' }],
  'serviceAccounts!': [{ 'email!': 'text', 'scopes!': ['text'] }],
  tags: ['text'],
  targetPools: ['text'],
  'machineType!': 'text',
  'region!': 'text',
  'zone!': 'text',
  projectID: 'text',
  gpus: [{ 'count!': 'whole', 'type!': 'text' }],
  preemptible: 'truth',
  'provisioningModel?': 'text',
  onHostMaintenance: 'text',
  restartPolicy: 'text',
  'shieldedInstanceConfig!': {
    secureBoot: 'text',
    virtualizedTrustedPlatformModule: 'text',
    integrityMonitoring: 'text',
  },
  confidentialCompute: 'text',
  resourceManagerTags: [{ 'parentID!': 'text', 'key!': 'text', 'value!': 'text' }],
}

const encryptionSet: Shape = { id: 'text' }
const uefi: Shape = { 'uefiSettings!': { secureBoot: 'text', virtualizedTrustedPlatformModule: 'text' } }
const spaced: Shape = { name: 'text', namespace: 'text' }

export const AZURE_SPEC: Shape = {
  ...common,
  'userDataSecret?': spaced,
  'credentialsSecret?': spaced,
  location: 'text',
  vmSize: 'text',
  'image!': {
    'publisher!': 'text',
    'offer!': 'text',
    'sku!': 'text',
    'version!': 'text',
    'resourceID!': 'text',
    type: 'text',
  },
  'osDisk!': {
    'osType!': 'text',
    'managedDisk!': {
      'storageAccountType!': 'text',
      'diskEncryptionSet?': encryptionSet,
      'securityProfile!': { 'diskEncryptionSet!': encryptionSet, securityEncryptionType: 'text' },
    },
    'diskSizeGB!': 'whole',
    'diskSettings!': { ephemeralStorageLocation: 'text' },
    cachingType: 'text',
  },
  dataDisks: [
    {
      'nameSuffix!': 'text',
      'diskSizeGB!': 'whole',
      'managedDisk!': { 'storageAccountType!': 'text', 'diskEncryptionSet?': encryptionSet },
      'lun!': 'whole',
      cachingType: 'text',
      'deletionPolicy!': 'text',
    },
  ],
  sshPublicKey: 'text',
  'publicIP!': 'truth',
  tags: TEXTS,
  securityGroup: 'text',
  applicationSecurityGroups: ['text'],
  'subnet!': 'text',
  publicLoadBalancer: 'text',
  internalLoadBalancer: 'text',
  'natRule?': 'whole',
  managedIdentity: 'text',
  vnet: 'text',
  zone: 'text',
  networkResourceGroup: 'text',
  resourceGroup: 'text',
  'spotVMOptions?': { 'maxPrice?': 'any' },
  'securityProfile?': {
    'encryptionAtHost?': 'truth',
    'settings!': { 'securityType!': 'text', 'confidentialVM?': uefi, 'trustedLaunch?': uefi },
  },
  ultraSSDCapability: 'text',
  acceleratedNetworking: 'truth',
  availabilitySet: 'text',
  'diagnostics!': {
    'boot?': { 'storageAccountType!': 'text', 'customerManaged?': { 'storageAccountURI!': 'text' } },
  },
  capacityReservationGroupID: 'text',
}

export const VSPHERE_SPEC: Shape = {
  ...common,
  ...secrets,
  'template!': 'text',
  'workspace?': {
    server: 'text',
    datacenter: 'text',
    folder: 'text',
    datastore: 'text',
    resourcePool: 'text',
    vmGroup: 'text',
  },
  'network!': {
    'devices!': [
      {
        networkName: 'text',
        gateway: 'text',
        ipAddrs: ['text'],
        nameservers: ['text'],
        addressesFromPools: [{ 'group!': 'text', 'resource!': 'text', 'name!': 'text' }],
      },
    ],
  },
  numCPUs: 'whole',
  numCoresPerSocket: 'whole',
  memoryMiB: 'whole',
  diskGiB: 'whole',
  tagIDs: ['text'],
  'snapshot!': 'text',
  cloneMode: 'text',
  dataDisks: [{ 'name!': 'text', 'sizeGiB!': 'whole', provisioningMode: 'text' }],
}
