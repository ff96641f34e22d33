import { createHash } from 'node:crypto'
import type { Json } from '../json'
import { canonical } from './canonical'
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

/** Names exactly this change of exactly this group. Take it over real values, before they are masked. */
export function fingerprint(owner: Owner, changes: readonly FieldChange[]): string {
  const { uid, namespace, name, kind } = owner
  const content = changes.filter(isAskedAbout).map(text).sort()
  return createHash('sha256')
    .update(canonical([{ uid, namespace, name, kind }, content]))
    .digest('hex')
}

/** One name for all of them together, whatever their order. */
export function fingerprintOfAll(fingerprints: readonly string[]): string {
  const distinct = [...new Set(fingerprints)].sort()
  return createHash('sha256').update(canonical(distinct)).digest('hex')
}
