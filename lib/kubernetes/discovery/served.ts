import type { Capabilities } from '@/lib/domain/capabilities'
import type { KubeClient } from '../types'

/** Everything that Drydock may watch or change, with the versions it can read, best first. */
const WANTED: Record<string, { plurals: string[]; versions: string[] }> = {
  'cluster.x-k8s.io': {
    plurals: [
      'clusters',
      'clusterclasses',
      'machinedeployments',
      'machinesets',
      'machines',
      'machinepools',
      'machinehealthchecks',
    ],
    versions: ['v1beta2', 'v1beta1'],
  },
  'controlplane.cluster.x-k8s.io': { plurals: ['kubeadmcontrolplanes'], versions: ['v1beta2', 'v1beta1'] },
  'bootstrap.cluster.x-k8s.io': {
    plurals: ['kubeadmconfigs', 'kubeadmconfigtemplates'],
    versions: ['v1beta2', 'v1beta1'],
  },
  'runtime.cluster.x-k8s.io': { plurals: ['extensionconfigs'], versions: ['v1beta2', 'v1alpha1'] },
  'clusterctl.cluster.x-k8s.io': { plurals: ['providers'], versions: ['v1alpha3'] },
  'config.openshift.io': { plurals: ['clusterversions', 'clusteroperators', 'infrastructures'], versions: ['v1'] },
  'operator.openshift.io': { plurals: ['machineconfigurations'], versions: ['v1'] },
  'machineconfiguration.openshift.io': {
    plurals: ['machineconfigpools', 'machineconfignodes', 'machineconfigs', 'machineosconfigs'],
    // MachineConfigNodes were v1alpha1 until 4.18.
    versions: ['v1', 'v1alpha1'],
  },
  'machine.openshift.io': {
    plurals: ['machines', 'machinesets', 'controlplanemachinesets'],
    versions: ['v1beta1', 'v1'],
  },
  'metal3.io': { plurals: ['provisionings'], versions: ['v1alpha1'] },
  'admissionregistration.k8s.io': {
    plurals: ['mutatingadmissionpolicies', 'validatingadmissionpolicies', 'mutatingwebhookconfigurations'],
    versions: ['v1', 'v1beta1'],
  },
}

interface GroupList {
  groups?: { name: string; versions: { version: string }[] }[]
}
interface ResourceList {
  resources?: { name: string }[]
}

export interface Served {
  /** "machines.cluster.x-k8s.io" -> "v1beta2": the best version that Drydock reads and the server serves. */
  resources: Record<string, string>
  /** Served versions by group. */
  versions: Record<string, string[]>
}

/** Which of the wanted resources the API server serves, in which version. */
export async function discoverServed(client: KubeClient): Promise<Served> {
  const list = (await client.raw('/apis')) as GroupList
  const versions = Object.fromEntries((list.groups ?? []).map((g) => [g.name, g.versions.map((v) => v.version)]))
  const resources: Record<string, string> = { namespaces: 'v1', nodes: 'v1', configmaps: 'v1', events: 'v1' }
  await Promise.all(
    Object.entries(WANTED).flatMap(([group, wanted]) =>
      wanted.versions
        .filter((version) => versions[group]?.includes(version))
        .map(async (version) => {
          const found = (await client.raw(`/apis/${group}/${version}`)) as ResourceList
          const names = new Set(found.resources?.map((r) => r.name))
          for (const plural of wanted.plurals.filter((p) => names.has(p))) {
            const key = `${plural}.${group}`
            const known = resources[key]
            if (!known || wanted.versions.indexOf(version) < wanted.versions.indexOf(known)) resources[key] = version
          }
        }),
    ),
  )
  return { resources, versions }
}

/** Which form of the latch the API server can carry. */
export function latchForms(served: Served, kubernetes: string): Capabilities['latch'] {
  const [, minor = 0] = /^v?(\d+)\.(\d+)/.exec(kubernetes)?.slice(1).map(Number) ?? []
  const policy = served.resources['mutatingadmissionpolicies.admissionregistration.k8s.io']
  return {
    policy: policy === 'v1' || policy === 'v1beta1' ? policy : null,
    // matchConditions of webhooks are GA since Kubernetes 1.30, ValidatingAdmissionPolicy v1 too.
    webhook: minor >= 30 && 'mutatingwebhookconfigurations.admissionregistration.k8s.io' in served.resources,
    guard: served.resources['validatingadmissionpolicies.admissionregistration.k8s.io'] === 'v1',
  }
}
