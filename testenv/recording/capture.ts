import type { KubeClient, KubeObject, Resource } from '@/lib/kubernetes/types'

const CORE = (plural: string): Resource => ({ group: 'cluster.x-k8s.io', version: 'v1beta2', plural })
export const KINDS = { deployment: CORE('machinedeployments'), set: CORE('machinesets'), machine: CORE('machines') }
export type Kind = keyof typeof KINDS

/** One state of one object, as the API server kept it; `gone`: it is no more from there on. */
export interface Version {
  kind: Kind
  /** etcd's own revision: one order for all kinds. */
  revision: number
  gone: boolean
  object: KubeObject
}

export interface Capture {
  versions: Version[]
  stop(): Promise<void>
}

/** Everything that happens to MachineDeployments, MachineSets and Machines of a namespace from now on. */
export async function capture(client: KubeClient, namespace: string): Promise<Capture> {
  const versions: Version[] = []
  const ended = new AbortController()
  const { signal } = ended
  // The server ends a watch every few minutes; the next one goes on where that one was.
  const follow = async (kind: Kind, from: string) => {
    let resourceVersion = from
    while (!signal.aborted) {
      for await (const event of client.watch(KINDS[kind], namespace, { resourceVersion, signal })) {
        if (event.type === 'ERROR') throw new Error(`the watch of ${KINDS[kind].plural} broke: ${event.object.message}`)
        resourceVersion = event.object.metadata.resourceVersion
        if (event.type !== 'BOOKMARK') versions.push(versionOf(kind, event.object, event.type === 'DELETED'))
      }
    }
  }
  const watches: Promise<void>[] = []
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const { items, resourceVersion } = await client.list(KINDS[kind], namespace, { limit: 500 })
    versions.push(...items.map((object) => versionOf(kind, object, false)))
    watches.push(follow(kind, resourceVersion))
  }
  const all = Promise.all(watches).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  // Told to whoever stops it, not to the whole process.
  all.catch(() => undefined)
  return {
    versions,
    stop: async () => {
      ended.abort()
      await all
    },
  }
}

const versionOf = (kind: Kind, object: KubeObject, gone: boolean): Version => ({
  ...{ kind, gone, object },
  revision: Number(object.metadata.resourceVersion),
})
