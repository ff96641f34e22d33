import { EXTENSION_CONFIG, GUARD, GUARD_EXTENSION, GUARD_POOLS, GUARD_WEBHOOKS } from '../latch/names'
import { LATCHED, LATCHED_POOL } from '../latch/table'

/** What Drydock needs on a management cluster: one table makes the manifest and the check. */
export interface Need {
  part: 'cluster-api' | 'openshift' | 'openshift-write' | 'openshift-latch' | 'latch' | 'gate' | 'plan'
  group: string
  resources: string[]
  verbs: string[]
  /** Only these objects. `create` cannot be limited by name, so it never stands in a rule with names. */
  names?: string[]
  /** Only in this namespace. */
  namespace?: string
  /** What does not work without it. */
  why: string
}

const READ = ['get', 'list', 'watch']
const LATCH_NAMES = [...LATCHED.map((kind) => kind.policy), GUARD, GUARD_EXTENSION, GUARD_WEBHOOKS]
const POOL_LATCH_NAMES = [LATCHED_POOL.policy, GUARD_POOLS, GUARD_WEBHOOKS]
/** Of whichever form. */
const LATCH_KINDS = [
  ...['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
  ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
  'mutatingwebhookconfigurations',
]

/** A rule cannot name kinds that it does not list; these are of the providers in use most, as their CRDs spell them. */
const INFRASTRUCTURE_TEMPLATES = [
  ...['awsmachinetemplates', 'azuremachinetemplates', 'byomachinetemplates', 'cloudstackmachinetemplates'],
  ...['devmachinetemplates', 'dockermachinetemplates', 'domachinetemplates', 'gcpmachinetemplates'],
  ...['harvestermachinetemplates', 'hcloudmachinetemplates', 'hetznerbaremetalmachinetemplates'],
  ...['ibmpowervsmachinetemplates', 'ibmvpcmachinetemplates', 'ionoscloudmachinetemplates'],
  ...['kubevirtmachinetemplates', 'linodemachinetemplates', 'maasmachinetemplates', 'metal3datatemplates'],
  ...['metal3machinetemplates'],
  ...['metalstackmachinetemplates', 'nutanixmachinetemplates', 'ocimachinetemplates', 'onemachinetemplates'],
  ...['openstackmachinetemplates', 'oscmachinetemplates', 'proxmoxmachinetemplates', 'remotemachinetemplates'],
  ...['scalewaymachinetemplates', 'tinkerbellmachinetemplates', 'vcdmachinetemplates', 'vspheremachinetemplates'],
  ...['vultrmachinetemplates'],
]
const BOOTSTRAP_TEMPLATES = [
  ...['kubeadmconfigtemplates', 'ck8sconfigtemplates', 'eksconfigtemplates', 'gkeconfigtemplates'],
  ...['k0sworkerconfigtemplates', 'kthreesconfigtemplates', 'microk8sconfigtemplates', 'nodeadmconfigtemplates'],
  ...['openshiftassistedconfigtemplates', 'rke2configtemplates', 'talosconfigtemplates'],
]

export const NEEDS: readonly Need[] = [
  {
    part: 'cluster-api',
    group: 'cluster.x-k8s.io',
    resources: ['clusters', 'machinedeployments', 'machinesets', 'machines', 'machinepools', 'machinehealthchecks'],
    verbs: READ,
    why: 'to show clusters, groups and machines',
  },
  {
    part: 'cluster-api',
    group: 'cluster.x-k8s.io',
    resources: ['clusterclasses'],
    verbs: ['get', 'list'],
    why: 'to tell what a ClusterClass decides',
  },
  {
    part: 'cluster-api',
    group: 'controlplane.cluster.x-k8s.io',
    resources: ['*'],
    verbs: READ,
    why: 'to show control planes',
  },
  {
    part: 'cluster-api',
    group: 'bootstrap.cluster.x-k8s.io',
    resources: ['*'],
    verbs: ['get', 'list'],
    why: 'to compare bootstrap configs field by field',
  },
  {
    part: 'cluster-api',
    group: 'infrastructure.cluster.x-k8s.io',
    resources: ['*'],
    verbs: ['get', 'list'],
    why: 'to compare infrastructure machines field by field',
  },
  {
    part: 'cluster-api',
    group: 'runtime.cluster.x-k8s.io',
    resources: ['extensionconfigs'],
    verbs: READ,
    why: 'to see who answers the update hooks',
  },
  {
    part: 'cluster-api',
    group: 'clusterctl.cluster.x-k8s.io',
    resources: ['providers'],
    verbs: ['get', 'list'],
    why: 'to know the providers’ versions',
  },
  {
    part: 'cluster-api',
    group: 'apiextensions.k8s.io',
    resources: ['customresourcedefinitions'],
    verbs: ['get', 'list'],
    why: 'to know contract versions and served fields',
  },
  {
    part: 'cluster-api',
    group: 'apps',
    resources: ['deployments'],
    verbs: ['get'],
    names: ['capi-controller-manager', 'capi-kubeadm-control-plane-controller-manager'],
    why: 'to read the managers’ feature gates',
  },
  {
    part: 'cluster-api',
    group: '',
    resources: ['namespaces'],
    verbs: READ,
    why: 'to know which namespaces are governed',
  },
  {
    part: 'latch',
    group: 'cluster.x-k8s.io',
    resources: ['machinedeployments'],
    verbs: ['patch'],
    why: 'to release, reject and re-latch a held MachineDeployment',
  },
  {
    part: 'latch',
    group: 'controlplane.cluster.x-k8s.io',
    resources: ['kubeadmcontrolplanes'],
    verbs: ['patch'],
    why: 'to release, reject and re-latch a held control plane',
  },
  {
    part: 'latch',
    group: 'cluster.x-k8s.io',
    resources: ['machinesets'],
    verbs: ['patch'],
    why: 'to take back what was not made yet as a group is held, and to carry scaling through meanwhile, where a policy says so',
  },
  { part: 'latch', group: '', resources: ['events'], verbs: ['create'], why: 'to say on the object why it is held' },
  {
    part: 'latch',
    group: 'admissionregistration.k8s.io',
    resources: LATCH_KINDS,
    verbs: ['get', 'list', 'watch', 'create'],
    why: 'to install, check and at once put back the latch',
  },
  {
    part: 'latch',
    group: 'admissionregistration.k8s.io',
    resources: LATCH_KINDS,
    verbs: ['patch', 'update', 'delete'],
    names: LATCH_NAMES,
    why: 'to repair and remove the latch',
  },
  {
    part: 'gate',
    group: 'runtime.cluster.x-k8s.io',
    resources: ['extensionconfigs'],
    verbs: ['create'],
    why: 'to register the update gate',
  },
  {
    part: 'gate',
    group: 'runtime.cluster.x-k8s.io',
    resources: ['extensionconfigs'],
    verbs: ['patch', 'update', 'delete'],
    names: [EXTENSION_CONFIG],
    why: 'to renew and release the registration',
  },
  {
    part: 'gate',
    group: 'cluster.x-k8s.io',
    resources: ['machines'],
    verbs: ['patch'],
    why: 'to have remediation of machines skipped while they are updated in place, where somebody asks for that',
  },
  {
    part: 'plan',
    group: 'cluster.x-k8s.io',
    resources: ['clusters', 'machinedeployments'],
    verbs: ['create', 'patch'],
    why: 'to try planned changes on the API server (dry run)',
  },
  {
    part: 'plan',
    group: 'controlplane.cluster.x-k8s.io',
    resources: ['kubeadmcontrolplanes'],
    verbs: ['create', 'patch'],
    why: 'to try planned changes on the API server (dry run)',
  },
  {
    part: 'plan',
    group: 'bootstrap.cluster.x-k8s.io',
    resources: BOOTSTRAP_TEMPLATES,
    verbs: ['create', 'patch'],
    why: 'to try planned templates on the API server (dry run); those of other providers are added here',
  },
  {
    part: 'plan',
    group: 'infrastructure.cluster.x-k8s.io',
    resources: INFRASTRUCTURE_TEMPLATES,
    verbs: ['create', 'patch'],
    why: 'to try planned templates on the API server (dry run); those of other providers are added here',
  },
  {
    part: 'openshift',
    group: 'config.openshift.io',
    resources: ['clusterversions', 'clusteroperators', 'infrastructures'],
    verbs: READ,
    why: 'to evaluate boot image skew',
  },
  {
    part: 'openshift',
    group: 'operator.openshift.io',
    resources: ['machineconfigurations'],
    verbs: READ,
    why: 'to read the recorded boot image',
  },
  {
    part: 'openshift',
    group: 'machineconfiguration.openshift.io',
    resources: ['machineconfigpools', 'machineconfignodes'],
    verbs: READ,
    why: 'to follow pools and nodes',
  },
  {
    part: 'openshift',
    group: 'machineconfiguration.openshift.io',
    resources: ['machineosconfigs'],
    verbs: READ,
    why: 'to hold OS images that are built for a pool; without it these reach nodes unapproved',
  },
  {
    part: 'openshift',
    group: 'machineconfiguration.openshift.io',
    resources: ['machineconfigs'],
    verbs: ['get'],
    why: 'to say of which release a pool’s configuration is, and what differs in it',
  },
  {
    part: 'openshift',
    group: 'machine.openshift.io',
    resources: ['machines', 'machinesets', 'controlplanemachinesets'],
    verbs: READ,
    why: 'to show machines and their boot images',
  },
  { part: 'openshift', group: '', resources: ['nodes'], verbs: READ, why: 'to show the nodes’ versions' },
  {
    part: 'openshift',
    group: '',
    resources: ['namespaces'],
    verbs: ['get'],
    names: ['kube-system'],
    why: 'to know the cluster again, whatever its address is',
  },
  {
    part: 'openshift',
    group: '',
    resources: ['configmaps'],
    verbs: READ,
    names: ['coreos-bootimages'],
    namespace: 'openshift-machine-config-operator',
    why: 'to know the boot images of the release',
  },
  {
    part: 'openshift',
    group: 'metal3.io',
    resources: ['provisionings'],
    verbs: READ,
    why: 'to know whether a bare metal cluster downloads its boot image',
  },
  {
    part: 'openshift',
    group: '',
    resources: ['configmaps'],
    verbs: READ,
    names: ['admin-gates'],
    namespace: 'openshift-config-managed',
    why: 'to show what an administrator must acknowledge before an update',
  },
  {
    part: 'openshift',
    group: '',
    resources: ['configmaps'],
    verbs: READ,
    names: ['admin-acks'],
    namespace: 'openshift-config',
    why: 'to show what was acknowledged',
  },
  {
    part: 'openshift-write',
    group: 'operator.openshift.io',
    resources: ['machineconfigurations'],
    verbs: ['patch'],
    names: ['cluster'],
    why: 'to acknowledge boot images, opt out, return to automatic and choose which are managed',
  },
  {
    part: 'openshift-write',
    group: 'machineconfiguration.openshift.io',
    resources: ['machineconfigpools'],
    verbs: ['patch'],
    why: 'to pause and resume pools',
  },
  {
    part: 'openshift-write',
    group: '',
    resources: ['configmaps'],
    verbs: ['patch'],
    names: ['admin-acks'],
    namespace: 'openshift-config',
    why: 'to acknowledge what an update asks of an administrator',
  },
  {
    part: 'openshift-latch',
    group: '',
    resources: ['events'],
    verbs: ['create'],
    why: 'to say on a pool why it is held',
  },
  {
    part: 'openshift-latch',
    group: 'admissionregistration.k8s.io',
    resources: LATCH_KINDS,
    verbs: ['get', 'list', 'watch', 'create'],
    why: 'to install, check and at once put back the latch of pools',
  },
  {
    part: 'openshift-latch',
    group: 'admissionregistration.k8s.io',
    resources: LATCH_KINDS,
    verbs: ['patch', 'update', 'delete'],
    names: POOL_LATCH_NAMES,
    why: 'to repair and remove the latch of pools',
  },
]
