import { fingerprint, type FieldChange, type Owner, type RevisionPair } from '@/lib/domain/changes'
import { isHeld } from '@/lib/domain/latch/hold'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import type { Compared } from './types'

/**
 * Of a group that is held: what the API server says where Drydock may not read what has to be compared. Null: it is another
 * error, or nobody waits for it.
 */
export function unreadWords(group: KubeObject, error: unknown): string | null {
  if (!(error instanceof KubeError) || error.code !== 403 || !isHeld(group)) return null
  return `Drydock may not read what has to be compared (${error.message}). Grant it, as deploy/rbac.yaml does for the providers there: it is looked at again within half a minute.`
}

/** A revision of which only this is known: that it is another one. */
export function unreadPair(
  owner: Owner,
  of: Pick<RevisionPair, 'from' | 'machines' | 'createdAt'>,
  changes: FieldChange[],
  why: string,
): Compared {
  // Never the fingerprint of what is seen without it.
  const unseen: FieldChange = { object: 'infrastructure', path: 'template' }
  return {
    pair: { ...of, fingerprint: fingerprint(owner, [...changes, unseen]), changes, certainReplace: why, unread: why },
    question: null,
  }
}
