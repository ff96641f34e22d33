import { STOPPED } from './names'

/**
 * Why Cluster API would ask nobody any more about what was let go in place, and replace the rest: as it stands in the words of
 * the hold that is put back for it.
 */
export const UNASKED = {
  off: 'in-place updates were switched off in its manager, and the rest would be replaced',
  unknown: 'whether its managers would still ask could not be read for a minute',
  gone: 'its registration is gone, and without it the rest would be replaced',
  narrowed: 'its registration was narrowed, and groups outside it would be replaced',
} as const

/** What happened, in few words. */
export const UNASKED_SHORT = {
  off: 'in-place updates were switched off',
  unknown: 'nobody could read whether in-place updates are on',
  gone: 'the registration of the update gate was taken away',
  narrowed: 'the registration of the update gate was narrowed',
} as const satisfies Record<keyof typeof UNASKED, string>

export type WhyUnasked = keyof typeof UNASKED
const WHYS = Object.keys(UNASKED) as WhyUnasked[]

/** By the words of a hold; null: it is there for something else. */
export const whyUnasked = (held: string | null): WhyUnasked | null =>
  WHYS.find((why) => held === `${STOPPED}${UNASKED[why]}`) ?? null
