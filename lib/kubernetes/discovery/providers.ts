import type { ManagedSchema } from '@/lib/domain/boot-images/managed/managing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { KubeError, type KubeClient, type KubeObject } from '../types'
import type { Served } from './served'

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }

async function readCrd(client: KubeClient, name: string): Promise<KubeObject | null> {
  try {
    return await client.get(CRDS, name)
  } catch (error) {
    if (error instanceof KubeError && (error.code === 404 || error.code === 403)) return null
    throw error
  }
}

/** Contract versions that a CRD announces by its labels ("cluster.x-k8s.io/v1beta2: v1beta2"). */
const contractsOf = (crd: KubeObject | null): string[] =>
  Object.keys(crd?.metadata.labels ?? {})
    .flatMap((label) => /^cluster\.x-k8s\.io\/(v\d+(?:alpha|beta)\d+)$/.exec(label)?.[1] ?? [])
    .sort()
    .reverse()

/** Providers from clusterctl's inventory where there is one, else from the infrastructure kinds that are served. */
export async function discoverProviders(client: KubeClient, served: Served): Promise<Capabilities['providers']> {
  const inventory = served.resources['providers.clusterctl.cluster.x-k8s.io']
  if (inventory) {
    const page = await client
      .list({ group: 'clusterctl.cluster.x-k8s.io', version: inventory, plural: 'providers' }, undefined, {
        limit: 100,
      })
      .catch(() => null)
    const found = (page?.items ?? []) as unknown as {
      metadata: { name: string }
      providerName?: string
      version?: string
    }[]
    if (found.length > 0)
      return found.map((p) => ({ name: p.providerName ?? p.metadata.name, version: p.version ?? null, contract: null }))
  }
  const version = served.versions['infrastructure.cluster.x-k8s.io']?.[0]
  if (!version) return []
  const list = (await client.raw(`/apis/infrastructure.cluster.x-k8s.io/${version}`)) as {
    resources?: { name: string; kind: string }[]
  }
  const clusters = (list.resources ?? []).filter((r) => /^[a-z]+clusters$/.test(r.name))
  return Promise.all(
    clusters.map(async (r) => {
      const crd = await readCrd(client, `${r.name}.infrastructure.cluster.x-k8s.io`)
      return {
        name: r.kind.replace(/Cluster$/, '').toLowerCase(),
        version: null,
        contract: contractsOf(crd)[0] ?? null,
      }
    }),
  )
}

/** Contracts of Cluster API itself. */
export async function discoverContracts(client: KubeClient): Promise<string[]> {
  return contractsOf(await readCrd(client, 'machines.cluster.x-k8s.io'))
}

/** MachineConfiguration alone: other kinds of its group have fields and modes of the same names. */
async function openApiSchema(client: KubeClient): Promise<unknown> {
  const { components } = (await client.raw('/openapi/v3/apis/operator.openshift.io/v1')) as {
    components?: { schemas?: Record<string, { 'x-kubernetes-group-version-kind'?: { kind: string }[] }> }
  }
  return Object.values(components?.schemas ?? {}).find((schema) =>
    schema['x-kubernetes-group-version-kind']?.some(({ kind }) => kind === 'MachineConfiguration'),
  )
}

interface Configuration {
  skew: boolean | null
  controlPlanes: boolean | null
  managed: ManagedSchema | null
}

/**
 * What the served MachineConfiguration knows, by its schema, since a write does not tell: it drops a field that is not known. Without a
 * schema there is no telling: the group's document may fail once, right after the definition has changed.
 */
export async function discoverConfiguration(client: KubeClient): Promise<Configuration> {
  const crd = await readCrd(client, 'machineconfigurations.operator.openshift.io')
  const schema = crd ? crd.spec : await openApiSchema(client).catch(() => null)
  if (!schema) return { skew: null, controlPlanes: null, managed: null }
  const text = JSON.stringify(schema)
  return {
    skew: text.includes('"bootImageSkewEnforcement"'),
    controlPlanes: text.includes('"controlplanemachinesets"'),
    // Of a schema that tells, some part is always there.
    managed: text.includes('"managementState"')
      ? {
          spec: text.includes('"managedBootImages"'),
          status: text.includes('"managedBootImagesStatus"'),
          none: [...text.matchAll(/"enum":\[([^\]]*)\]/g)].some(([, of]) => /"All"/.test(of!) && /"None"/.test(of!)),
        }
      : null,
  }
}
