/** A governed change moves, and nobody approved it: somebody outside took its hold away, or nothing held it when it began. */
export type Unapproved = 'taken' | 'never-held'

export const UNAPPROVED_WHY: Record<Unapproved, string> = {
  taken: 'its hold was taken away outside Drydock',
  'never-held': 'it began without having been held',
}
