/**
 * A governed change moves, and no approval of it is in force: somebody outside took its hold away, nothing held it when it began,
 * its date is about to come, or its cluster was disconnected after it had been let go, or although it moved by that.
 */
export type Unapproved = 'taken' | 'never-held' | 'left' | 'disconnect' | 'by-date'

export const UNAPPROVED_WHY: Record<Unapproved, string> = {
  taken: 'its hold was taken away outside Drydock',
  'never-held': 'it began without having been held',
  'by-date': 'its date is about to come, and nothing holds it yet',
  disconnect: 'its cluster was disconnected, and it moved by that',
  left: 'it was let go before its cluster was disconnected, and goes on since',
}

/** "It is under way, and …" */
export const UNAPPROVED_AND: Record<Unapproved, string> = {
  taken: 'nobody approved it',
  'never-held': 'nobody approved it',
  disconnect: 'nobody approved it',
  'by-date': 'no approval of it stands',
  left: 'no approval of it stands',
}
