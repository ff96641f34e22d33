import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { infrastructureRefOf, objectAt, refOf, type Ref } from './read'
import type { Compared, ObjectSource } from './types'

export const templateOf = (object: KubeObject): JsonObject => objectAt(object.spec, 'template', 'spec') ?? {}
const KUBEADM = 'KubeadmConfigTemplate'

type Whole = Pick<Compared, 'config' | 'templates'>

/** Labels and annotations that Cluster API gives to what it makes by a template; undefined: none. */
const copied = (template: KubeObject | null): JsonObject | undefined => {
  const metadata = objectAt(template?.spec, 'template', 'metadata')
  return metadata && Object.keys(metadata).length > 0 ? metadata : undefined
}

/** What a template says of the machines that are made by it. */
export function contentOf(infrastructure: KubeObject | null, other: KubeObject | null = null): Whole {
  const [infrastructureMetadata, bootstrapMetadata] = [copied(infrastructure), copied(other)]
  if (!infrastructure && !other) return {}
  return {
    templates: {
      ...(infrastructure ? { infrastructure: templateOf(infrastructure) } : {}),
      ...(infrastructureMetadata ? { infrastructureMetadata } : {}),
      ...(other ? { bootstrap: templateOf(other) } : {}),
      ...(bootstrapMetadata ? { bootstrapMetadata } : {}),
    },
  }
}

/** All that the templates say, also what no machine differs by: of a kubeadm config what counts there, of others as it is written. */
export function wholeOf({
  infrastructure,
  bootstrap,
}: Record<'infrastructure' | 'bootstrap', KubeObject | null>): Whole {
  const kubeadm = bootstrap?.kind === KUBEADM ? bootstrap : null
  const other = bootstrap && !kubeadm ? bootstrap : null
  const metadata = copied(kubeadm)
  return {
    ...(kubeadm
      ? { config: { apiVersion: kubeadm.apiVersion, spec: templateOf(kubeadm), ...(metadata ? { metadata } : {}) } }
      : {}),
    ...contentOf(infrastructure, other),
  }
}

/** The same of what a group's next machines are made by, whatever became of those before; `read`: which of the two could be read whole. */
export async function wholeWanted(
  group: KubeObject,
  source: ObjectSource,
): Promise<{ whole: Whole; read: readonly (keyof Whole)[] }> {
  const isPlane = group.kind === 'KubeadmControlPlane'
  const spec = templateOf(group)
  const bootstrapRef = isPlane ? null : refOf(spec, 'bootstrap', 'configRef')
  const read = async (ref: Ref | null) =>
    ref && (await source.template(ref, group.metadata.namespace ?? '').catch(() => 'unread' as const))
  const [infrastructure, bootstrap] = await Promise.all([
    read(isPlane ? infrastructureRefOf(group) : refOf(spec, 'infrastructureRef')),
    read(bootstrapRef),
  ])
  const known = { infrastructure: orNull(infrastructure), bootstrap: orNull(bootstrap) }
  const isOther = bootstrapRef !== null && bootstrapRef.kind !== KUBEADM
  return {
    whole: wholeOf(known),
    read: [
      ...(isPlane || bootstrap === 'unread' ? [] : (['config'] as const)),
      ...(infrastructure === 'unread' || (isOther && bootstrap === 'unread') ? [] : (['templates'] as const)),
    ],
  }
}

const orNull = (read: KubeObject | 'unread' | null): KubeObject | null => (read === 'unread' ? null : read)
