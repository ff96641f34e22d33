import type { JsonObject } from '@/lib/domain/json'
import type { RolloutStrategy } from '@/lib/domain/rollout'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, intOrString, text } from '../../fields'

/** A reference to a template or a live object, in either API version. */
export interface Ref {
  group: string
  kind: string
  name: string
  /** Given in v1beta1 only. */
  version?: string
}

/** Why machines whose objects would be of another kind are replaced; null: they stay what they are. */
export function otherKind(
  what: 'infrastructure' | 'bootstrap config',
  had: Ref | null,
  wanted: Ref | null,
): string | null {
  if (!had || !wanted || (had.kind === wanted.kind && had.group === wanted.group)) return null
  const [from, to] = [had, wanted].map(({ kind, group }) => (had.kind === wanted.kind ? `${kind}.${group}` : kind))
  return `Its ${what} would be of another kind (${from} → ${to}): no machine can become that in place.`
}

export function refOf(source: JsonObject | KubeObject | undefined, ...path: string[]): Ref | null {
  const kind = text(source, ...path, 'kind')
  const name = text(source, ...path, 'name')
  if (!kind || !name) return null
  const apiVersion = text(source, ...path, 'apiVersion')
  const [group, version] = apiVersion ? apiVersion.split('/') : [text(source, ...path, 'apiGroup') ?? '', undefined]
  return { group: group ?? '', kind, name, ...(version ? { version } : {}) }
}

export const objectAt = (source: KubeObject | JsonObject | undefined, ...path: string[]): JsonObject | undefined => {
  const value = at(source, ...path)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

/** spec.rollout.after, in either API version. */
export const rolloutAfter = (group: KubeObject): string | null =>
  text(group.spec, 'rollout', 'after') ?? text(group.spec, 'rolloutAfter')

/** A date of it has come: what is older is replaced. */
export const hasCome = (after: string): boolean => Date.parse(after) <= Date.now()

/** What a rollout.after does to a machine that is older. Until it comes, updaters are asked, and the machine goes then. */
export const afterWords = (after: string): string =>
  hasCome(after)
    ? `spec.rollout.after is ${after}: Cluster API always replaces what is older.`
    : `spec.rollout.after is ${after}: when that comes, Cluster API replaces whatever is older, within some ten minutes.`

export const expiryDays = (kcp: KubeObject): number | null => {
  const days =
    at(kcp.spec, 'rollout', 'before', 'certificatesExpiryDays') ??
    at(kcp.spec, 'rolloutBefore', 'certificatesExpiryDays')
  return typeof days === 'number' ? days : null
}

export const infrastructureRefOf = (kcp: KubeObject): Ref | null =>
  refOf(kcp.spec, 'machineTemplate', 'spec', 'infrastructureRef') ??
  refOf(kcp.spec, 'machineTemplate', 'infrastructureRef')

export function strategyOf(group: KubeObject): RolloutStrategy {
  const paths = [['rollout', 'strategy'], ['strategy'], ['rolloutStrategy']]
  const type = paths.map((path) => text(group.spec, ...path, 'type')).find((t) => t !== null)
  if (type === 'OnDelete') return { type: 'OnDelete' }
  const number = (field: string): number | string | undefined => {
    const found = paths.map((path) => intOrString(group.spec, ...path, 'rollingUpdate', field)).find((v) => v !== null)
    return found === undefined || found === null ? undefined : /^\d+$/.test(found) ? Number(found) : found
  }
  const [maxSurge, maxUnavailable] = [number('maxSurge'), number('maxUnavailable')]
  return {
    type: 'RollingUpdate',
    ...(maxSurge === undefined ? {} : { maxSurge }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
  }
}

/** An object as a Runtime Extension gets it: no status, owners, uid or managed fields. */
export function forHook(object: KubeObject, spec: JsonObject = object.spec ?? {}): JsonObject {
  const { name, namespace, labels, annotations } = object.metadata
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    spec,
  }
}
