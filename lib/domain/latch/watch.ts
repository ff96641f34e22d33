import { rolloutDigest } from './digest'

// The form for API servers that can carry no latch: Drydock compares what a group wants with what it last let be, and
// pauses the group where that differs. The condition is the latch's own (digest.ts); only the moment is a later one.

/** What a group wants, and in which version of the API that was read: of two versions nobody can compare the digests. */
export function watchMark(group: Parameters<typeof rolloutDigest>[0]): string {
  return markOf(group.apiVersion, rolloutDigest(group) ?? '')
}

export const markOf = (apiVersion: string, digest: string): string =>
  `${apiVersion.endsWith('/v1beta1') ? 'v1beta1' : 'v1beta2'} ${digest}`

/** In the place of a mark, of a group that was held when it was first looked at: nothing that it wants equals that. */
export const FOUND_HELD = 'held'

const comparable = (watched: string | null, mark: string): boolean =>
  watched === FOUND_HELD || watched?.split(' ')[0] === mark.split(' ')[0]

export interface Seen {
  /** Of what it wants now. */
  mark: string
  /** Of what the watch last let be; null: it was never looked at. */
  watched: string | null
  /** Of what it was last let go with; null: not known. */
  letGo: string | null
  held: boolean
  governed: boolean
  /** It was there before anybody watched, or nobody has changed what it wants since it was made. */
  begins: boolean
}

/**
 * nothing: it is as it was, or held. found-held: it is held, and what the watch last let be is not known, or cannot be compared; once
 * it is not held any more, nobody could tell. keep: what it wants now is what it may be from here on. pending: it was never looked
 * at, or not in this version: only machines that differ say that something was changed. changed: it is to be held, unless somebody
 * approved just that.
 */
export type Looked = 'nothing' | 'found-held' | 'keep' | 'pending' | 'changed'

export function lookAt({ mark, watched, letGo, held, governed, begins }: Seen): Looked {
  if (watched === mark) return 'nothing'
  if (held && governed) return comparable(watched, mark) ? 'nothing' : 'found-held'
  if (!governed || letGo === mark) return 'keep'
  if (watched === null) return begins ? 'keep' : 'pending'
  return comparable(watched, mark) ? 'changed' : 'pending'
}
