import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient } from '@/lib/kubernetes/types'
import { moduleDir } from './build'
import { until } from './process'

export const MANAGERS = ['capi-core', 'capi-bootstrap', 'capi-controlplane', 'capi-infrastructure'] as const
export type Manager = (typeof MANAGERS)[number]

const LABEL: Record<Manager, string> = {
  'capi-core': 'cluster-api',
  'capi-bootstrap': 'bootstrap-kubeadm',
  'capi-controlplane': 'control-plane-kubeadm',
  'capi-infrastructure': 'infrastructure-docker',
}

/** CRDs and webhook manifests come out of the very modules that the managers are built from. */
function configDirs(): Record<Manager, string> {
  const capi = moduleDir('sigs.k8s.io/cluster-api')
  return {
    'capi-core': join(capi, 'core/config'),
    'capi-bootstrap': join(capi, 'bootstrap/kubeadm/config'),
    'capi-controlplane': join(capi, 'controlplane/kubeadm/config'),
    'capi-infrastructure': join(moduleDir('sigs.k8s.io/cluster-api/test'), 'infrastructure/docker/config'),
  }
}

interface Crd extends JsonObject {
  metadata: { name: string; labels: Record<string, string> }
  spec: { versions: { name: string }[]; conversion: JsonObject }
}

const documents = (file: string): JsonObject[] =>
  parseAllDocuments(readFileSync(file, 'utf8')).flatMap((d) => (d.contents ? [d.toJS() as JsonObject] : []))

export function clusterApiCrds(ports: Record<Manager, number>, caPem: string): JsonObject[] {
  const dirs = configDirs()
  const caBundle = Buffer.from(caPem).toString('base64')
  return MANAGERS.flatMap((manager) => {
    const dir = join(dirs[manager], 'crd/bases')
    return readdirSync(dir).flatMap((file) =>
      documents(join(dir, file)).map((document) => {
        const crd = document as Crd
        const versions = crd.spec.versions.map((v) => v.name)
        crd.metadata.labels = {
          ...crd.metadata.labels,
          ...(versions.includes('v1beta1') ? { 'cluster.x-k8s.io/v1beta1': 'v1beta1' } : {}),
          'cluster.x-k8s.io/v1beta2': 'v1beta2',
          'cluster.x-k8s.io/provider': LABEL[manager],
        }
        if (versions.length > 1) {
          const clientConfig = { url: `https://127.0.0.1:${ports[manager]}/convert`, caBundle }
          crd.spec.conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } }
        }
        return crd
      }),
    )
  })
}

const MACHINE_CONFIGURATIONS = {
  with: ['', 'machineconfigurations'],
  without: ['openshift-before', 'machineconfigurations-Default'],
  '4.18': ['openshift-4.18', 'machineconfigurations'],
} as const

/** With boot image skew enforcement, as OpenShift serves it since 4.22; without, as until 4.21; or as until 4.18, with neither the mode None nor a status of what is managed. */
export type SkewVariant = keyof typeof MACHINE_CONFIGURATIONS

const manifest = (api: string, group: string, name: string) =>
  documents(join(api, group, 'zz_generated.crd-manifests', `${name}.crd.yaml`))

/** The CRD of MachineConfiguration, with its validation rules in force. */
export function machineConfigurationCrd(variant: SkewVariant): JsonObject[] {
  const [of, name] = MACHINE_CONFIGURATIONS[variant]
  const api = moduleDir('github.com/openshift/api', of)
  return manifest(api, 'operator/v1', `0000_80_machine-config_01_${name}`)
}

/** One variant of each of OpenShift's CRDs that Drydock reads, with their validation rules in force. */
export function openshiftCrds(variant: SkewVariant = 'with'): JsonObject[] {
  const api = moduleDir('github.com/openshift/api')
  const files = [
    'machineconfiguration/v1:0000_80_machine-config_01_machineconfigpools-SelfManagedHA',
    'machineconfiguration/v1:0000_80_machine-config_01_machineconfignodes-SelfManagedHA-Default',
    'machine/v1beta1:0000_10_machine-api_01_machines-Default',
    'machine/v1beta1:0000_10_machine-api_01_machinesets-Default',
    'machine/v1:0000_10_control-plane-machine-set_01_controlplanemachinesets-Default',
    'config/v1:0000_00_cluster-version-operator_01_clusteroperators',
    'config/v1:0000_00_cluster-version-operator_01_clusterversions-Default',
    'config/v1:0000_10_config-operator_01_infrastructures-Default',
  ]
  const others = files.flatMap((entry) => {
    const [group, name] = entry.split(':')
    return manifest(api, group!, name!)
  })
  return [...machineConfigurationCrd(variant), ...others]
}

/** Applies all and waits until the API server serves them. */
export async function installCrds(admin: KubeClient, crds: JsonObject[]): Promise<void> {
  const resource = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }
  await Promise.all(crds.map((crd) => admin.patch(resource, (crd as Crd).metadata.name, undefined, 'apply', crd)))
  await until('the CRDs to be established', async () => {
    const { items } = await admin.list(resource, undefined)
    return items.every((item) => {
      const conditions = (item.status?.conditions ?? []) as { type: string; status: string }[]
      return conditions.some((c) => c.type === 'Established' && c.status === 'True')
    })
  })
}

/** The managers' admission webhooks, by URL instead of by Service. Registered once the managers answer. */
export async function installWebhooks(admin: KubeClient, ports: Record<Manager, number>, caPem: string): Promise<void> {
  const caBundle = Buffer.from(caPem).toString('base64')
  const dirs = configDirs()
  for (const manager of MANAGERS) {
    for (const document of documents(join(dirs[manager], 'webhook/manifests.yaml'))) {
      const kind = String(document.kind)
      const name = `${manager}-${(document.metadata as { name: string }).name}`
      const webhooks = (document.webhooks as { clientConfig: { service: { path: string } } }[]).map((webhook) => ({
        ...webhook,
        clientConfig: { url: `https://127.0.0.1:${ports[manager]}${webhook.clientConfig.service.path}`, caBundle },
      }))
      const body = { ...document, metadata: { name }, webhooks } as JsonObject
      const plural =
        kind === 'MutatingWebhookConfiguration' ? 'mutatingwebhookconfigurations' : 'validatingwebhookconfigurations'
      await admin.patch(
        { group: 'admissionregistration.k8s.io', version: 'v1', plural },
        name,
        undefined,
        'apply',
        body,
      )
    }
  }
}
