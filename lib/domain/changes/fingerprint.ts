import { createHash } from 'node:crypto'
import type { Json } from '../json'
import { canonical, pruned } from './canonical'
import { isAskedAbout } from './reference'
import type { FieldChange } from './types'

export interface Owner {
  uid: string
  namespace: string
  name: string
  kind: string
}

const text = (change: FieldChange): string =>
  canonical([
    change.object,
    change.path,
    'current' in change ? [change.current as Json] : [],
    'desired' in change ? [change.desired as Json] : [],
  ])

/**
 * Of a control plane, Drydock compares templates and Cluster API the live machine: what is empty in one may be absent in
 * the other. Templates cannot be edited, and a change of template is one in any case.
 */
export const isEmptied = ({ object, current, desired }: FieldChange): boolean =>
  object === 'infrastructure' && pruned(current) === undefined && pruned(desired) === undefined

/** Names exactly this change of exactly this group. Take it over real values, before they are masked. */
export function fingerprint(owner: Owner, changes: readonly FieldChange[]): string {
  const { uid, namespace, name, kind } = owner
  const counts = (change: FieldChange) => isAskedAbout(change) && !(kind === 'KubeadmControlPlane' && isEmptied(change))
  const content = changes.filter(counts).map(text).sort()
  return createHash('sha256')
    .update(canonical([{ uid, namespace, name, kind }, content]))
    .digest('hex')
}

/** One name for all of them together, whatever their order. */
export function fingerprintOfAll(fingerprints: readonly string[]): string {
  const distinct = [...new Set(fingerprints)].sort()
  return createHash('sha256').update(canonical(distinct)).digest('hex')
}
