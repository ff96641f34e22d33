import type { KubeObject } from '@/lib/kubernetes/types'
import type { Ref } from './read'
import type { ObjectSource } from './types'

const groupOf = ({ apiVersion }: KubeObject): string => apiVersion.split('/')[0]!
const versionOf = ({ apiVersion }: KubeObject): string => apiVersion.split('/')[1] ?? ''

/**
 * The same source as if these templates were there already. Templates of a kind are all read in the version in which it
 * was given: what two versions call differently is no difference.
 */
export function overlaySource(base: ObjectSource, templates: readonly KubeObject[]): ObjectSource {
  const key = (group: string, kind: string, namespace: string, name: string) => [group, kind, namespace, name].join('/')
  const laid = new Map(
    templates.map((t) => [key(groupOf(t), t.kind, t.metadata.namespace ?? '', t.metadata.name), t] as const),
  )
  const versions = new Map(templates.map((t) => [`${groupOf(t)}/${t.kind}`, versionOf(t)] as const))
  const asGiven = (ref: Ref): Ref => {
    const version = versions.get(`${ref.group}/${ref.kind}`)
    return version ? { ...ref, version } : ref
  }
  return {
    ...base,
    template: async (ref, namespace) =>
      laid.get(key(ref.group, ref.kind, namespace, ref.name)) ?? base.template(asGiven(ref), namespace),
  }
}
