import { versionKey } from '../version'
import { isVersion, type Absent } from './last'

/** What is known of a group that was through with something, by its newest change. */
export interface GroupSince {
  /** What it wants now. */
  version: string | null
  /** That change is not over; or it is done. */
  open: boolean
  done: boolean
  /** Of what is open: it was let go, or has begun. */
  moves: boolean
  toVersion: string | null
  /** As many of its machines as it wants. */
  available: boolean
  /** Nothing of what is open has begun, and its machines are all of one revision. */
  stands: boolean
}

const ABSENT: Record<Absent, string> = {
  away: 'its cluster is disconnected',
  gone: 'it is not there any more',
  coming: 'what it is now is not known yet',
}
export const NOT_KNOWN = 'whether it still has it is not known'

/** Why a group that was through with it is no canary any more, as far as that is known. */
export function lostWords(wish: string, since: GroupSince | Absent): string {
  if (typeof since === 'string') return ABSENT[since]
  const { version, open, done, moves, toVersion, available, stands } = since
  if (!isVersion(wish))
    return open ? 'it wants something else by now' : done ? 'it got something else since' : NOT_KNOWN
  if (!open) return version === null || wish === `version ${version}` ? NOT_KNOWN : `it has ${version} since`
  const [to, had] = [versionKey(toVersion), versionKey(wish.slice('version '.length))]
  if (to === null || had === null) return 'whether what it wants by now takes that back is not known'
  if (to < had) return `it is to go back to ${toVersion}`
  if (moves) return `it moves on to ${toVersion}`
  if (!available) return 'not all of its machines are available'
  return stands ? NOT_KNOWN : 'some of its machines may have moved on'
}
