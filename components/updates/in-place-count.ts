import type { Outlook } from '@/lib/domain/changes/types'

/** Machines that are updated where they stand, with a spare machine or without. */
export const inPlaceCount = (counts: Outlook['replace']['counts']): number =>
  (counts['in-place'] ?? 0) + (counts['in-place-with-spare'] ?? 0)
