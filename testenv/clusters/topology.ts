import type { JsonObject } from '@/lib/domain/json'
import type { WorkloadClusterOptions } from '../types'
import {
  clusterNetwork,
  CONTROL_PLANE_MACHINE,
  KUBEADM,
  object,
  rollingUpdate,
  WORKER_BOOTSTRAP,
  WORKER_MACHINE,
} from './plain'

const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io'
const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io'
const CONTROL_PLANE = 'controlplane.cluster.x-k8s.io'
const templateRef = (group: string, kind: string, name: string): JsonObject => ({
  templateRef: { apiVersion: `${group}/v1beta2`, kind, name },
})

/** The same, managed by a ClusterClass: the topology controller writes control plane and MachineDeployment. */
export function topologyCluster(o: WorkloadClusterOptions): JsonObject[] {
  const { namespace: ns, name } = o
  const klass = `${name}-class`
  const cp = `${name}-cp`
  const md = `${name}-md`
  return [
    object(INFRASTRUCTURE, 'DevClusterTemplate', ns, klass, { template: { spec: { backend: { inMemory: {} } } } }),
    object(INFRASTRUCTURE, 'DevMachineTemplate', ns, cp, CONTROL_PLANE_MACHINE),
    object(INFRASTRUCTURE, 'DevMachineTemplate', ns, md, WORKER_MACHINE),
    object(BOOTSTRAP, 'KubeadmConfigTemplate', ns, md, WORKER_BOOTSTRAP),
    object(CONTROL_PLANE, 'KubeadmControlPlaneTemplate', ns, klass, {
      template: {
        spec: {
          rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: o.controlPlane?.maxSurge ?? 1 } } },
          kubeadmConfigSpec: KUBEADM,
        },
      },
    }),
    object('cluster.x-k8s.io', 'ClusterClass', ns, klass, {
      infrastructure: templateRef(INFRASTRUCTURE, 'DevClusterTemplate', klass),
      controlPlane: {
        ...templateRef(CONTROL_PLANE, 'KubeadmControlPlaneTemplate', klass),
        machineInfrastructure: templateRef(INFRASTRUCTURE, 'DevMachineTemplate', cp),
        naming: { template: '{{ .cluster.name }}-cp' },
      },
      workers: {
        machineDeployments: [
          {
            class: 'workers',
            naming: { template: '{{ .cluster.name }}-md' },
            bootstrap: templateRef(BOOTSTRAP, 'KubeadmConfigTemplate', md),
            infrastructure: templateRef(INFRASTRUCTURE, 'DevMachineTemplate', md),
          },
        ],
      },
    }),
    object('cluster.x-k8s.io', 'Cluster', ns, name, {
      clusterNetwork,
      topology: {
        classRef: { name: klass },
        version: o.version,
        controlPlane: { replicas: o.controlPlane?.replicas ?? 1 },
        workers: {
          machineDeployments: [
            {
              class: 'workers',
              name: 'workers',
              replicas: o.workers?.replicas ?? 0,
              rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(o) } },
            },
          ],
        },
      },
    }),
  ]
}
