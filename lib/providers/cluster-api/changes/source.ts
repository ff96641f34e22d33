import type { Json } from '@/lib/domain/json'
import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import { at, items } from '../../fields'
import type { Ref } from './read'
import type { ObjectSource } from './types'

export interface SourceOptions {
  client: KubeClient
  /** Versions by "plural.group", as discovery found them. */
  resources: Record<string, string>
  letGo: ObjectSource['letGo']
  /** MachineSets of the watch cache; absent: they are listed. */
  machineSets?: () => Iterable<KubeObject>
}

const CLUSTER = 'cluster.x-k8s.io'
const NAME_LABEL = `${CLUSTER}/cluster-name`
/** Templates are not edited in place: what was read once stands for a while. */
const TEMPLATE_MS = 60_000
const KINDS_MS = 300_000
const LABEL_MOST = 63

export interface ClientSource extends ObjectSource {
  /** Of a MachineDeployment, whichever of its MachineSets has them; with others of its Cluster where its name is hashed in labels. */
  workers(deployment: KubeObject): Promise<KubeObject[]>
}

/** Reads what is compared by GET; templates are kept by name for a minute, discovery of kinds for five. */
export function clientSource({ client, resources, letGo, machineSets }: SourceOptions): ClientSource {
  const templates = new Map<string, { at: number; object: Promise<KubeObject | null> }>()
  const kinds = new Map<string, { at: number; resource: Promise<Resource | null> }>()
  const kept = <V extends { at: number }>(map: Map<string, V>, key: string, ms: number, make: () => V): V => {
    const known = map.get(key)
    if (known && Date.now() - known.at < ms) return known
    const made = make()
    map.set(key, made)
    if (map.size > 2_000) map.delete(map.keys().next().value!)
    return made
  }
  const resourceOf = async (ref: Ref): Promise<Resource | null> => {
    const key = `${ref.group}/${ref.version ?? ''}/${ref.kind}`
    const found = kept(kinds, key, KINDS_MS, () => ({ at: Date.now(), resource: findResource(client, ref) }))
    try {
      return await found.resource
    } catch (error) {
      // What failed once is asked again.
      if (kinds.get(key) === found) kinds.delete(key)
      throw error
    }
  }
  const get = async (ref: Ref, namespace: string): Promise<KubeObject | null> => {
    const resource = await resourceOf(ref)
    return resource ? orNull(client.get(resource, ref.name, namespace)) : null
  }
  const ownedBy = (uid: string) => (object: KubeObject) =>
    object.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false
  const core = (plural: string): Resource => ({
    group: CLUSTER,
    version: resources[`${plural}.${CLUSTER}`] ?? 'v1beta2',
    plural,
  })
  const ofCluster = async (plural: string, group: KubeObject, label?: string): Promise<KubeObject[]> => {
    const cluster = group.metadata.labels?.[NAME_LABEL] ?? at(group.spec, 'clusterName')
    const ofName = typeof cluster === 'string' ? `${NAME_LABEL}=${cluster}` : undefined
    const selector = [ofName, label].filter(Boolean).join(',') || undefined
    const found: KubeObject[] = []
    let next: string | undefined
    do {
      const page = await client.list(core(plural), group.metadata.namespace, {
        labelSelector: selector,
        continue: next,
      })
      found.push(...page.items)
      next = page.continue
    } while (next)
    return found
  }
  return {
    machineSets: async (group) =>
      (machineSets ? [...machineSets()] : await ofCluster('machinesets', group)).filter(ownedBy(group.metadata.uid)),
    machines: async (group) =>
      (await ofCluster('machines', group, `${CLUSTER}/control-plane`)).filter(ownedBy(group.metadata.uid)),
    workers: (group) => {
      const { name } = group.metadata
      return ofCluster('machines', group, name.length > LABEL_MOST ? undefined : `${CLUSTER}/deployment-name=${name}`)
    },
    live: get,
    letGo,
    forget: (namespace) => {
      for (const key of templates.keys()) if (key.startsWith(`${namespace}/`)) templates.delete(key)
    },
    template: async (ref, namespace, ms = TEMPLATE_MS) => {
      const key = `${namespace}/${ref.group}/${ref.version ?? ''}/${ref.kind}/${ref.name}`
      const found = kept(templates, key, ms, () => ({ at: Date.now(), object: get(ref, namespace) }))
      try {
        const object = await found.object
        if (!object) templates.delete(key)
        return object
      } catch (error) {
        templates.delete(key)
        throw error
      }
    },
  }
}

/** Null for what is not there; a refusal or an unreachable server stays an error: "absent" must never be guessed. */
async function orNull(reading: Promise<KubeObject>): Promise<KubeObject | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return null
    throw error
  }
}

/** The resource behind a kind, in the version that the reference or else the server prefers. */
export async function findResource(client: KubeClient, ref: Omit<Ref, 'name'>): Promise<Resource | null> {
  const versions = ref.version ? [ref.version] : await versionsOf(client, ref.group)
  for (const version of versions) {
    const list = await discovered(client, `/apis/${ref.group}/${version}`)
    if (list === null) continue
    const found = items(list, 'resources').find(
      (r) => at(r, 'kind') === ref.kind && !String(at(r, 'name')).includes('/'),
    )
    const plural = found && at(found, 'name')
    if (typeof plural === 'string') return { group: ref.group, version, plural }
  }
  return null
}

/** Null: the server does not serve it (any more). */
async function discovered(client: KubeClient, path: string): Promise<Json> {
  try {
    return await client.raw(path)
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return null
    throw error
  }
}

async function versionsOf(client: KubeClient, group: string): Promise<string[]> {
  const answer = await discovered(client, `/apis/${group}`)
  if (answer === null) return []
  const preferred = at(answer, 'preferredVersion', 'version')
  const all = items(answer, 'versions').map((v) => String(at(v, 'version')))
  return [...new Set([...(typeof preferred === 'string' ? [preferred] : []), ...all])]
}
