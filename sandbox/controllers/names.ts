/** Resources that the controllers move, and the keys they write. */
export const CLUSTERS = 'clusters.cluster.x-k8s.io'
export const CLUSTER_CLASSES = 'clusterclasses.cluster.x-k8s.io'
export const MACHINES = 'machines.cluster.x-k8s.io'
export const MACHINE_SETS = 'machinesets.cluster.x-k8s.io'
export const MACHINE_DEPLOYMENTS = 'machinedeployments.cluster.x-k8s.io'
export const HEALTH_CHECKS = 'machinehealthchecks.cluster.x-k8s.io'
export const CONTROL_PLANES = 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io'
export const CONFIGS = 'kubeadmconfigs.bootstrap.cluster.x-k8s.io'
export const CONFIG_TEMPLATES = 'kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io'
export const DEV_MACHINES = 'devmachines.infrastructure.cluster.x-k8s.io'
export const DEV_MACHINE_TEMPLATES = 'devmachinetemplates.infrastructure.cluster.x-k8s.io'
export const DEV_CLUSTERS = 'devclusters.infrastructure.cluster.x-k8s.io'
export const DEPLOYMENTS = 'deployments.apps'
export const EXTENSION_CONFIGS = 'extensionconfigs.runtime.cluster.x-k8s.io'

export const CORE = 'cluster.x-k8s.io/v1beta2'
export const CONTROL_PLANE = 'controlplane.cluster.x-k8s.io/v1beta2'
export const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io/v1beta2'
export const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io/v1beta2'

export const LABEL = {
  cluster: 'cluster.x-k8s.io/cluster-name',
  deployment: 'cluster.x-k8s.io/deployment-name',
  set: 'cluster.x-k8s.io/set-name',
  hash: 'machine-template-hash',
  controlPlane: 'cluster.x-k8s.io/control-plane',
  controlPlaneName: 'cluster.x-k8s.io/control-plane-name',
  owned: 'topology.cluster.x-k8s.io/owned',
  topologyDeployment: 'topology.cluster.x-k8s.io/deployment-name',
} as const

const IN_PLACE = 'in-place-updates.internal.cluster.x-k8s.io'
const REVISIONS = 'machinedeployment.clusters.x-k8s.io'
export const ANNOTATION = {
  paused: 'cluster.x-k8s.io/paused',
  moveTo: `${IN_PLACE}/move-machines-to-machineset`,
  receiveFrom: `${IN_PLACE}/receive-machines-from-machinesets`,
  pendingMove: `${IN_PLACE}/pending-acknowledge-move`,
  acknowledged: `${IN_PLACE}/acknowledged-move`,
  updating: `${IN_PLACE}/update-in-progress`,
  pendingHooks: 'runtime.cluster.x-k8s.io/pending-hooks',
  disableCreate: 'cluster.x-k8s.io/disable-machine-create',
  deleteMachine: 'cluster.x-k8s.io/delete-machine',
  remediate: 'cluster.x-k8s.io/remediate-machine',
  skipRemediation: 'cluster.x-k8s.io/skip-remediation',
  clonedFromName: 'cluster.x-k8s.io/cloned-from-name',
  clonedFromKind: 'cluster.x-k8s.io/cloned-from-groupkind',
  revision: `${REVISIONS}/revision`,
  desiredReplicas: `${REVISIONS}/desired-replicas`,
  maxReplicas: `${REVISIONS}/max-replicas`,
  skipPreflight: 'machineset.cluster.x-k8s.io/skip-preflight-checks',
  excludeDrain: 'machine.cluster.x-k8s.io/exclude-node-draining',
  kcpCleanup: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup',
  lastApplied: 'kubectl.kubernetes.io/last-applied-configuration',
  beforeUpgrade: 'before-upgrade.hook.cluster.cluster.x-k8s.io',
} as const

export const PRE_DRAIN = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/'
export const PRE_TERMINATE = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/'

/**
 * What the simulated hosts are like, said on the infrastructure machine (or its template's metadata): a drain that a
 * PodDisruptionBudget blocks ("namespace/name"), a machine that never joins, for how long its kubelet does not report when it is
 * updated in place ("3m"), what ails its etcd member.
 */
export const HOST = {
  blockedByBudget: 'host.sandbox/blocked-by-pdb',
  neverJoins: 'host.sandbox/never-joins',
  /** Of a group, also of a pool: background life does not touch it. */
  leftAlone: 'host.sandbox/left-alone',
  awayInUpdates: 'host.sandbox/away-in-updates',
  etcdIll: 'host.sandbox/etcd-ill',
} as const
