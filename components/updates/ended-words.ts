import type { Ended } from '@/lib/services/changes/ended'

/** In one word for the page and the lists. */
export const ENDED: Record<Ended, string> = {
  newer: 'Superseded by a newer change',
  deleted: 'Over, its group was deleted',
  disconnected: 'Over, its cluster was disconnected',
}
export const ENDED_WHY: Record<Ended, string> = {
  newer: 'a newer change took its place',
  deleted: 'its group was deleted',
  disconnected: 'its cluster was disconnected',
}
