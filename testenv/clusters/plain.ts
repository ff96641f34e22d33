import type { JsonObject } from '@/lib/domain/json'
import type { WorkloadClusterOptions } from '../types'

export const SECOND = { provisioning: { startupDuration: '1s' } }
const BOOTSTRAP = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate' }
export const INFRASTRUCTURE = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevMachineTemplate' }

export const clusterNetwork = {
  services: { cidrBlocks: ['10.128.0.0/12'] },
  pods: { cidrBlocks: ['192.168.0.0/16'] },
  serviceDomain: 'cluster.local',
}

const controlPlaneMachine = (vm: JsonObject): JsonObject => ({
  template: { spec: { backend: { inMemory: { vm, node: SECOND, apiServer: SECOND, etcd: SECOND } } } },
})
export const CONTROL_PLANE_MACHINE = controlPlaneMachine(SECOND)
export const WORKER_MACHINE: JsonObject = {
  template: { spec: { backend: { inMemory: { vm: SECOND, node: SECOND } } } },
}
export const WORKER_BOOTSTRAP: JsonObject = {
  template: {
    spec: { joinConfiguration: { nodeRegistration: { criSocket: 'unix:///run/containerd/containerd.sock' } } },
  },
}
export const KUBEADM: JsonObject = { clusterConfiguration: { apiServer: { certSANs: ['localhost', '127.0.0.1'] } } }

export function object(group: string, kind: string, namespace: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: `${group}/v1beta2`, kind, metadata: { name, namespace }, spec }
}

/** A cluster with a KubeadmControlPlane and a MachineDeployment, on machines that exist in memory only. */
export function plainCluster(o: WorkloadClusterOptions): JsonObject[] {
  const { namespace: ns, name, version } = o
  const cp = `${name}-cp`
  const md = `${name}-md`
  const workers = o.workers ?? { replicas: 0 }
  const at = object
  const { hostStarts } = o.controlPlane ?? {}
  const vm = hostStarts ? { provisioning: { startupDuration: hostStarts } } : SECOND
  return [
    annotated(at('infrastructure.cluster.x-k8s.io', 'DevCluster', ns, name, { backend: { inMemory: {} } })),
    at('cluster.x-k8s.io', 'Cluster', ns, name, {
      clusterNetwork,
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevCluster', name },
      controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: cp },
    }),
    at('infrastructure.cluster.x-k8s.io', 'DevMachineTemplate', ns, cp, controlPlaneMachine(vm)),
    at('controlplane.cluster.x-k8s.io', 'KubeadmControlPlane', ns, cp, {
      replicas: o.controlPlane?.replicas ?? 1,
      version,
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: o.controlPlane?.maxSurge ?? 1 } } },
      machineTemplate: { spec: { infrastructureRef: { ...INFRASTRUCTURE, name: cp } } },
      kubeadmConfigSpec: { ...KUBEADM, ...o.controlPlane?.kubeadm },
    }),
    at('infrastructure.cluster.x-k8s.io', 'DevMachineTemplate', ns, md, WORKER_MACHINE),
    at('bootstrap.cluster.x-k8s.io', 'KubeadmConfigTemplate', ns, md, WORKER_BOOTSTRAP),
    at('cluster.x-k8s.io', 'MachineDeployment', ns, md, {
      clusterName: name,
      replicas: workers.replicas,
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(o) } },
      selector: { matchLabels: {} },
      template: {
        spec: {
          clusterName: name,
          version,
          bootstrap: { configRef: { ...BOOTSTRAP, name: md } },
          infrastructureRef: { ...INFRASTRUCTURE, name: md },
        },
      },
    }),
  ]
}

export const rollingUpdate = (o: WorkloadClusterOptions): JsonObject => ({
  maxSurge: o.workers?.maxSurge ?? 1,
  maxUnavailable: o.workers?.maxUnavailable ?? 0,
})

/** The in-memory provider writes into the DevCluster's annotations and panics where there are none at all. */
const annotated = (cluster: JsonObject): JsonObject => ({
  ...cluster,
  metadata: { ...(cluster.metadata as JsonObject), annotations: { 'testenv/backend': 'in-memory' } },
})
