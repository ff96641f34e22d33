/** What a document can mean for machines. */
export type Concern = 'group' | 'cluster' | 'template' | 'unplanned' | 'beside'

const CORE = 'cluster.x-k8s.io'
// Some providers have a name before it: vmware.infrastructure.cluster.x-k8s.io.
const PROVIDERS = [`infrastructure.${CORE}`, `bootstrap.${CORE}`]
/** Of the core group: what is about machines, and is not followed here. */
const UNPLANNED = new Set(['ClusterClass', 'Machine', 'MachineSet', 'MachinePool'])
/** Machine configuration and machine sets of OpenShift have rules of their own. */
const OPENSHIFT = new Set(['machine.openshift.io', 'machineconfiguration.openshift.io'])

/** Of the core group and not about how machines are made. */
const BESIDE = new Set(['MachineHealthCheck', 'MachineDrainRule'])
/** Whose name in another group is a slip of the pen. */
const OURS = new Set(['Cluster', 'MachineDeployment', 'KubeadmControlPlane', 'KubeadmConfigTemplate', ...UNPLANNED])

/** Whether it may be meant for Cluster API and only be written otherwise: then it has to be known to the API server. */
export const mayBeMistyped = (apiVersion: string, kind: string): boolean =>
  /x-k8s/i.test(apiVersion) || OURS.has(kind) || /^Machine(Deployment|Set|Pool)/.test(kind)

/** By what a kind is called; nothing of the cluster is read for it. */
export function concernOf(apiVersion: string, kind: string): Concern {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  if (group === CORE) {
    if (kind === 'MachineDeployment') return 'group'
    if (kind === 'Cluster') return 'cluster'
    return BESIDE.has(kind) ? 'beside' : 'unplanned'
  }
  if (group === `controlplane.${CORE}`) return kind === 'KubeadmControlPlane' ? 'group' : 'unplanned'
  if (PROVIDERS.some((provider) => group === provider || group.endsWith(`.${provider}`))) {
    if (/ClusterTemplate$|Cluster$|Identity$/.test(kind)) return 'beside'
    return kind.endsWith('Template') ? 'template' : 'unplanned'
  }
  return OPENSHIFT.has(group) ? 'unplanned' : 'beside'
}
