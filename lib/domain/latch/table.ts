import { CONTROL_PLANE_POOLS } from '../pools/types'

export type ClusterApiVersion = 'v1beta2' | 'v1beta1'

/** A field, or a subtree, whose change makes a controller replace or update machines. */
export interface Cause {
  path: string
  /** Keys below it that the controllers propagate in place, without a rollout. Unknown keys count as causes: fail closed. */
  except?: readonly string[]
}

export interface LatchedKind {
  kind: string
  group: string
  plural: string
  /** Name of its policy (or webhook configuration) and binding. */
  policy: string
  /** Where its version stands, for the words on the object. */
  version: string
  /** By which field it is paused; absent: by Cluster API's annotation. */
  pausedBy?: 'spec.paused'
  /** In which version of its API it is read; absent: in that of Cluster API's kinds. */
  served?: 'v1'
  /** Those of its kind that are never held, by name. */
  never?: readonly string[]
  causes: Record<ClusterApiVersion, readonly Cause[]>
}

// Propagated to existing machines without a rollout: names of v1beta2, then of v1beta1.
const MACHINE_IN_PLACE = [
  'minReadySeconds',
  'readinessGates',
  'taints',
  'deletion',
  'nodeDrainTimeout',
  'nodeVolumeDetachTimeout',
  'nodeDeletionTimeout',
]
const HEALTH_CHECK_TIMEOUT = ['controlPlaneComponentHealthCheckSeconds']

const KUBEADM = 'spec.kubeadmConfigSpec'
const KUBEADM_CAUSES: Cause[] = [
  { path: KUBEADM, except: ['clusterConfiguration', 'initConfiguration', 'joinConfiguration'] },
  { path: `${KUBEADM}.clusterConfiguration`, except: ['dns', 'controlPlaneEndpoint'] },
  { path: `${KUBEADM}.initConfiguration`, except: ['timeouts'] },
  { path: `${KUBEADM}.initConfiguration.timeouts`, except: HEALTH_CHECK_TIMEOUT },
  { path: `${KUBEADM}.joinConfiguration`, except: ['discovery', 'timeouts'] },
  { path: `${KUBEADM}.joinConfiguration.timeouts`, except: HEALTH_CHECK_TIMEOUT },
]

/** The one table from which policies, webhooks, the guard and the words are made: of Cluster API's kinds. */
export const LATCHED: readonly LatchedKind[] = [
  {
    kind: 'MachineDeployment',
    group: 'cluster.x-k8s.io',
    plural: 'machinedeployments',
    policy: 'drydock-machinedeployments',
    version: 'spec.template.spec.version',
    causes: {
      v1beta2: [
        { path: 'spec.template.spec', except: MACHINE_IN_PLACE },
        { path: 'spec.rollout.after' },
        // From OnDelete to RollingUpdate: what waited for deletions begins to roll.
        { path: 'spec.rollout.strategy.type' },
      ],
      v1beta1: [
        { path: 'spec.template.spec', except: MACHINE_IN_PLACE },
        { path: 'spec.rolloutAfter' },
        { path: 'spec.strategy.type' },
      ],
    },
  },
  {
    kind: 'KubeadmControlPlane',
    group: 'controlplane.cluster.x-k8s.io',
    plural: 'kubeadmcontrolplanes',
    policy: 'drydock-kubeadmcontrolplanes',
    version: 'spec.version',
    causes: {
      v1beta2: [
        { path: 'spec.version' },
        { path: 'spec.machineTemplate.spec.infrastructureRef' },
        { path: 'spec.rollout.after' },
        { path: 'spec.rollout.before' },
        ...KUBEADM_CAUSES,
      ],
      v1beta1: [
        { path: 'spec.version' },
        { path: 'spec.machineTemplate.infrastructureRef' },
        { path: 'spec.rolloutAfter' },
        { path: 'spec.rolloutBefore' },
        ...KUBEADM_CAUSES,
      ],
    },
  },
]

const POOL_CAUSES: Cause[] = [{ path: 'spec.configuration.name' }]

/**
 * A pool's nodes take up whatever rendered config `spec.configuration.name` names; the name is made of its content, so another
 * content is another name (pkg/controller/render). `spec.configuration.source` only says what it was rendered from. The pool
 * master is never paused, its nodes carry etcd and the API server; nor arbiter, whose node carries etcd.
 */
export const LATCHED_POOL: LatchedKind = {
  kind: 'MachineConfigPool',
  group: 'machineconfiguration.openshift.io',
  plural: 'machineconfigpools',
  policy: 'drydock-machineconfigpools',
  version: 'spec.configuration.name',
  pausedBy: 'spec.paused',
  served: 'v1',
  never: CONTROL_PLANE_POOLS,
  causes: { v1beta2: POOL_CAUSES, v1beta1: POOL_CAUSES },
}

export const ALL_LATCHED: readonly LatchedKind[] = [...LATCHED, LATCHED_POOL]

/** Kinds whose changes are held and decided on. */
export const GOVERNED_KINDS: readonly string[] = ALL_LATCHED.map(({ kind }) => kind)
