import type { SandboxObject, StoreEvent } from '../../types'
import { History } from './history'

export const keyOf = (object: { metadata: { name: string; namespace?: string } }) =>
  object.metadata.namespace ? `${object.metadata.namespace}/${object.metadata.name}` : object.metadata.name

const TEXT = Symbol('json')

/** The object as JSON, made once and kept on it, unseen: a weak map of many large texts is slow to collect. */
export function textOf(object: SandboxObject): string {
  const known = (object as { [TEXT]?: string })[TEXT]
  if (known !== undefined) return known
  const text = JSON.stringify(object)
  Object.defineProperty(object, TEXT, { value: text })
  return text
}

interface Bucket {
  objects: Map<string, SandboxObject>
  /** Sorted; forgotten when a name comes or goes. */
  names?: string[]
  sorted?: SandboxObject[]
}

/** The objects of one resource, by namespace, in the order in which the API server lists them. */
class Objects {
  private readonly buckets = new Map<string, Bucket>()
  readonly history: History

  constructor(window: number) {
    this.history = new History(window)
  }

  get(key: string): SandboxObject | undefined {
    const slash = key.indexOf('/')
    const namespace = slash < 0 ? '' : key.slice(0, slash)
    return this.buckets.get(namespace)?.objects.get(slash < 0 ? key : key.slice(slash + 1))
  }

  list(namespace?: string): SandboxObject[] {
    if (namespace !== undefined) return this.sorted(this.buckets.get(namespace))
    return [...this.buckets.keys()].sort().flatMap((name) => this.sorted(this.buckets.get(name)))
  }

  put(object: SandboxObject) {
    const namespace = object.metadata.namespace ?? ''
    let bucket = this.buckets.get(namespace)
    if (!bucket) this.buckets.set(namespace, (bucket = { objects: new Map() }))
    if (!bucket.objects.has(object.metadata.name)) bucket.names = undefined
    bucket.objects.set(object.metadata.name, object)
    bucket.sorted = undefined
  }

  remove(object: SandboxObject) {
    const bucket = this.buckets.get(object.metadata.namespace ?? '')
    if (!bucket) return
    bucket.objects.delete(object.metadata.name)
    bucket.names = undefined
    bucket.sorted = undefined
    if (bucket.objects.size === 0) this.buckets.delete(object.metadata.namespace ?? '')
  }

  private sorted(bucket: Bucket | undefined): SandboxObject[] {
    if (!bucket) return []
    bucket.names ??= [...bucket.objects.keys()].sort()
    bucket.sorted ??= bucket.names.map((name) => bucket.objects.get(name)!)
    return bucket.sorted
  }
}

/** All objects of a server, one counter of versions, and those who listen. */
export class Objectbase {
  private readonly resources = new Map<string, Objects>()
  private readonly listeners = new Set<(event: StoreEvent & { version: number }) => void>()
  version = 1000

  constructor(private readonly window: number) {}

  of(resource: string): Objects {
    let objects = this.resources.get(resource)
    if (!objects) {
      objects = new Objects(this.window)
      objects.history.compacted = this.forgotten
      this.resources.set(resource, objects)
    }
    return objects
  }

  private forgotten = 0

  /** Forgets every event: watches that resume are told so, also those of resources that had no objects yet. */
  forget() {
    this.forgotten = ++this.version
    for (const objects of this.resources.values()) objects.history.forget(this.version)
  }

  listen(listener: (event: StoreEvent & { version: number }) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  commit(event: StoreEvent) {
    const objects = this.of(event.resource)
    if (event.type === 'DELETED') objects.remove(event.object)
    else objects.put(event.object)
    const change = { ...event, version: Number(event.object.metadata.resourceVersion) }
    objects.history.add(change)
    for (const listener of [...this.listeners]) listener(change)
  }
}
