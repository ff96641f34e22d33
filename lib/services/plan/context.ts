import { db } from '@/lib/db/client'
import type { Updater } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import { clientSource, findResource, type ObjectSource } from '@/lib/providers/cluster-api/changes'
import { text } from '@/lib/providers/fields'
import { letGoOf } from '../changes/let-go'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import type { GateStatus } from '../gate/status'
import { updatersFor } from '../updaters/for-cluster'

const CORE = 'cluster.x-k8s.io'
const CONTROL_PLANES = `controlplane.${CORE}`
/** On what a ClusterClass manages. */
export const OWNED = 'topology.cluster.x-k8s.io/owned'
const ASK_MS = 30_000
/** A plan of a whole fleet is about which machines, not about the minute in which each of them goes. */
const MOST_PLAYED = 3_000

/** What every step of one plan works with. */
export interface PlanContext {
  clusterId: string
  clusterName: string
  client: KubeClient
  capabilities: Capabilities
  updaters: Updater[]
  gate: GateStatus | null
  registered: boolean
  /** The kind as the cluster serves it; null: it does not. */
  resourceOf(apiVersion: string, kind: string): Promise<Resource | null>
  /** What is there, read in the object's version; the MachineSets of a cluster are listed once. */
  sourceFor(object: KubeObject): ObjectSource
  /** How many machines' rollouts are still played forward. */
  toPlay: { machines: number }
  /** Until when updaters are asked: one that hangs must not hang a plan of many groups. */
  askUntil: number
  /** MachineDeployments and control planes of a namespace, each namespace read once. */
  groupsIn(namespace: string): Promise<KubeObject[]>
}

export async function planContext(clusterId: string): Promise<PlanContext> {
  const cluster = await db().managementCluster.findUnique({
    where: { id: clusterId },
    select: { name: true, state: true, discovery: true, gateState: true, gateStatus: true },
  })
  if (!cluster || cluster.state === 'disconnected')
    throw new ServiceError('not-found', 'There is no such management cluster.')
  const capabilities = cluster.discovery as unknown as Capabilities | null
  if (!capabilities?.clusterApi)
    throw new ServiceError(
      'invalid',
      `${cluster.name} has no Cluster API, as far as Drydock found: nothing can be planned there.`,
    )
  const client = await kubeClientFor(clusterId)
  const registered = cluster.gateState === 'registered'
  const kinds = new Map<string, Promise<Resource | null>>()
  const namespaces = new Map<string, Promise<KubeObject[]>>()
  const sources = new Map<string, ObjectSource>()
  const once = <V>(map: Map<string, V>, key: string, make: () => V): V => {
    const known = map.get(key)
    if (known !== undefined) return known
    const made = make()
    map.set(key, made)
    return made
  }
  return {
    clusterId,
    clusterName: cluster.name,
    client,
    capabilities,
    updaters: await updatersFor(clusterId),
    gate: registered ? (cluster.gateStatus as unknown as GateStatus | null) : null,
    registered,
    resourceOf: (apiVersion, kind) => {
      const [group, version] = apiVersion.split('/') as [string, string]
      return once(kinds, `${apiVersion} ${kind}`, () => servedResource(client, group, version, kind))
    },
    sourceFor: ({ apiVersion }) => {
      const version = apiVersion.split('/')[1] ?? ''
      const served = capabilities.clusterApi?.served.includes(version)
      const own: Record<string, string> = served
        ? { [`machinesets.${CORE}`]: version, [`machines.${CORE}`]: version }
        : {}
      const resources = { ...capabilities.resources, ...own }
      return once(sources, version, () => {
        const source = clientSource({ client, resources, letGo: (uid) => letGoOf(clusterId, uid) })
        const sets = new Map<string, Promise<KubeObject[]>>()
        return {
          ...source,
          machineSets: async (group) => {
            const key = `${group.metadata.namespace}/${text(group.spec, 'clusterName')}`
            const all = await once(sets, key, () => listSets(client, resources, group))
            return all.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === group.metadata.uid))
          },
        }
      })
    },
    toPlay: { machines: MOST_PLAYED },
    askUntil: Date.now() + ASK_MS,
    groupsIn: (namespace) => once(namespaces, namespace, () => listGroups(client, capabilities, namespace)),
  }
}

/** Of the cluster that the group belongs to. */
async function listSets(
  client: KubeClient,
  resources: Record<string, string>,
  group: KubeObject,
): Promise<KubeObject[]> {
  const cluster = text(group.spec, 'clusterName')
  const labelSelector = cluster ? `${CORE}/cluster-name=${cluster}` : undefined
  const resource = { group: CORE, version: resources[`machinesets.${CORE}`] ?? 'v1beta2', plural: 'machinesets' }
  const found: KubeObject[] = []
  for await (const page of client.pages(resource, group.metadata.namespace, { labelSelector }))
    found.push(...page.items)
  return found
}

async function listGroups(client: KubeClient, { resources }: Capabilities, namespace: string): Promise<KubeObject[]> {
  const kinds = [
    { group: CORE, plural: 'machinedeployments', kind: 'MachineDeployment' },
    { group: CONTROL_PLANES, plural: 'kubeadmcontrolplanes', kind: 'KubeadmControlPlane' },
  ]
  const lists = await Promise.all(
    kinds.map(async ({ group, plural, kind }) => {
      const version = resources[`${plural}.${group}`]
      if (!version) return []
      const found: KubeObject[] = []
      for await (const page of client.pages({ group, version, plural }, namespace)) found.push(...page.items)
      // Items of a list do not always say what they are.
      return found.map((object) => ({ ...object, apiVersion: `${group}/${version}`, kind }))
    }),
  )
  return lists.flat()
}

/** Null also where the cluster does not know the version at all. */
async function servedResource(
  client: KubeClient,
  group: string,
  version: string,
  kind: string,
): Promise<Resource | null> {
  try {
    return await findResource(client, { group, version, kind })
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return null
    throw error
  }
}
