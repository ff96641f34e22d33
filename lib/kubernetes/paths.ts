import type { ListOptions, Resource } from './types'

/** Of "machines.cluster.x-k8s.io" or "nodes", as Drydock names a resource everywhere; `version` comes from discovery. */
export function parseResource(name: string, version: string): Resource {
  const dot = name.indexOf('.')
  if (dot < 0) return { group: '', version, plural: name }
  return { group: name.slice(dot + 1), version, plural: name.slice(0, dot) }
}

/** Key of an object among those of its resource: "namespace/name", "name" where cluster-scoped. */
export function objectKey(object: { metadata: { name: string; namespace?: string } }): string {
  return namedIn(object.metadata.namespace, object.metadata.name)
}

/** "namespace/name"; of what is in no namespace, its name. */
export const namedIn = (namespace: string | undefined, name: string): string =>
  namespace ? `${namespace}/${name}` : name

export function resourcePath(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  const root = resource.group ? `/apis/${resource.group}/${resource.version}` : `/api/${resource.version}`
  const parts = [namespace && `namespaces/${segment(namespace)}`, resource.plural, name && segment(name), subresource]
  return `${root}/${parts.filter(Boolean).join('/')}`
}

/** Names reach here from forms and objects: nothing may climb out of its place in the path. */
function segment(name: string): string {
  if (name === '.' || name === '..') throw new Error(`${name} is not the name of an object.`)
  return encodeURIComponent(name)
}

export function query(parameters: Record<string, string | number | boolean | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  return given.length ? '?' + new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString() : ''
}

export function listQuery(options: ListOptions): string {
  const limit = Math.min(options.limit ?? 500, 500)
  const { labelSelector, fieldSelector } = options
  // A continue token already names its resourceVersion; the server refuses both together.
  if (options.continue) return query({ limit, continue: options.continue, labelSelector, fieldSelector })
  const { resourceVersion, resourceVersionMatch } = options
  return query({ limit, resourceVersion, resourceVersionMatch, labelSelector, fieldSelector })
}
