import { db } from '@/lib/db/client'
import type { ManagementCluster } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { bearsOurMark } from '@/lib/domain/latch/diff'
import { isFor } from '@/lib/domain/latch/manifests'
import { ALL_LATCHED, LATCHED, LATCHED_POOL, type LatchedKind } from '@/lib/domain/latch/table'
import { discoverCapabilities } from '@/lib/kubernetes/discovery'
import { discoverServed } from '@/lib/kubernetes/discovery/served'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { EXTENSION_RESOURCE } from '../gate/manifest'
import { findLatchObjects } from './resources'

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }
const nameOf = ({ plural, group }: LatchedKind): string => `${plural}.${group}`
const POOLS = nameOf(LATCHED_POOL)
const OF_CLUSTER_API = [...LATCHED.map(nameOf), EXTENSION_RESOURCE]
/** Versions that Drydock reads of any of them. */
const READ = ['v1', 'v1beta2', 'v1beta1', 'v1alpha1']

/**
 * What discovery knows of a cluster, and what it did not name although it is there: an API server that has just begun does not name
 * every group, and what is held there is not nothing. Refuses where that cannot be told; what has no definition any more is gone.
 */
export async function withUnnamed(client: KubeClient, cluster: ManagementCluster): Promise<Capabilities> {
  const known = (cluster.discovery as unknown as Capabilities | null) ?? (await discoverCapabilities(client))
  const names = unnamedIn(known)
  const definitions = await Promise.all(names.map((name) => definitionOf(client, name)))
  const doubtful = names.filter((_, i) => definitions[i] !== 'gone')
  if (doubtful.length === 0) return known
  const { resources, versions } = await discoverServed(client)
  for (const [i, name] of names.entries()) {
    if (name in resources || definitions[i] === 'gone') continue
    if (definitions[i] === 'there') throw away(cluster.name, name)
    if (await wasThere(client, cluster, known, name)) throw notKnown(cluster.name, name)
  }
  const found = doubtful.filter((name) => name in resources)
  const apiVersion = resources[nameOf(LATCHED[0]!)] ?? 'v1beta2'
  const served = versions['cluster.x-k8s.io'] ?? []
  return {
    ...known,
    resources: { ...known.resources, ...Object.fromEntries(found.map((name) => [name, resources[name]!])) },
    clusterApi:
      known.clusterApi ??
      (found.some((name) => name !== POOLS) ? { version: null, apiVersion, served, contracts: [] } : null),
    openshift: known.openshift ?? (found.includes(POOLS) ? { version: null, skew: false, machineApi: false } : null),
  }
}

/** Of what Drydock may hold something by, or be registered as. */
const unnamedIn = ({ clusterApi, openshift, resources }: Capabilities): string[] => [
  ...OF_CLUSTER_API.filter((name) => clusterApi === null || !(name in resources)),
  ...[POOLS].filter((name) => openshift === null || !(name in resources)),
]

/** Read from where it is stored, so it says for certain whether the kind is there, whatever is named at this moment. */
async function definitionOf(client: KubeClient, name: string): Promise<'gone' | 'there' | 'unread'> {
  try {
    const { spec } = await client.get(CRDS, name)
    const versions = (spec?.versions ?? []) as { name: string; served: boolean }[]
    return versions.some((version) => version.served && READ.includes(version.name)) ? 'there' : 'unread'
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return 'gone'
    if (error instanceof KubeError && error.code === 403) return 'unread'
    throw error
  }
}

/** What tells that Drydock had to do with it, where its definition says nothing. */
async function wasThere(
  client: KubeClient,
  cluster: ManagementCluster,
  { clusterApi, latch }: Capabilities,
  name: string,
): Promise<boolean> {
  if (name === EXTENSION_RESOURCE && cluster.gateState === 'registered') return true
  const kind = ALL_LATCHED.find((latched) => nameOf(latched) === name)?.kind
  if (kind && (await db().group.count({ where: { clusterId: cluster.id, kind } })) > 0) return true
  // The latch of Cluster API is for all of its kinds, whichever of them are there.
  if (name !== POOLS && clusterApi !== null) return false
  const others = { clusterApi: name === POOLS, pools: name !== POOLS }
  // What holds by pausing is not allowed to look, and has put nothing there.
  const found = await findLatchObjects(client, latch.policy ?? 'v1', true)
  return found.some((object) => bearsOurMark(object) && !isFor(others, object))
}

const SOON = 'An API server that has just begun does not name everything it has: wait a moment, then try again.'

const away = (cluster: string, name: string): ServiceError =>
  new ServiceError(
    'unavailable',
    `${cluster} has ${name}, and its API server does not name them now: what is held there is not known. Nothing was changed.`,
    { hint: SOON },
  )

const notKnown = (cluster: string, name: string): ServiceError =>
  new ServiceError(
    'unavailable',
    `The API server of ${cluster} does not name ${name} now, and their definition cannot be read: whether something of them is held is not known. Nothing was changed.`,
    {
      hint: `${SOON} If they were taken out for good, let Drydock read CustomResourceDefinitions there (deploy/rbac.yaml): then it sees that.`,
    },
  )
