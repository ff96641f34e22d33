import type { Condition } from '../skew/types'
import type { PassCounts } from './counts'
import { failedSets } from './errors'
import type { BootImage, Outcome } from './types'

export interface Enrolled {
  image: BootImage
  /** Whether the operator manages this set's image. */
  managed: boolean
}

/**
 * Only the operator can tell some images from others, and it says so only as a number of skipped sets. Where that number leaves no
 * doubt, the doubt is taken away here: nothing skipped beyond the known ones, or all skipped. `listed`: on AWS before 4.23 it knows the
 * images of older releases by a list, and replaces them; everywhere else what it has left as it was is what it wants there.
 */
export function refineBySkips<T extends Enrolled>(
  sets: readonly T[],
  counts: PassCounts | null,
  settled: boolean,
  { platform, listed }: { platform: string; listed: boolean },
): T[] {
  const managed = sets.filter((set) => set.managed)
  const undecided = managed.filter((set) => OPEN.includes(set.image.outcome))
  // Of the others it is not known what they should have, but the operator may have skipped them as well.
  const open = undecided.filter(
    ({ image }) => image.outcome === 'undecided' && image.wanted !== null && image.current !== null,
  )
  if (!counts || !settled || counts.total !== managed.length || counts.degraded > 0 || open.length === 0)
    return [...sets]
  const known = managed.filter((set) => set.image.outcome === 'skip').length
  const among = counts.skipped - known
  if (among !== 0 && among !== undecided.length) return [...sets]
  const told = ({ cause, reason, wanted }: BootImage): Partial<BootImage> => {
    const ofRelease = cause === 'other-arch'
    if (among === 0 && ofRelease) return { state: 'outdated', outcome: 'update', reason }
    if (among === 0)
      return listed
        ? { state: 'outdated', outcome: 'update', reason: RECOGNISED }
        : { outcome: 'unchanged', reason: LEFT[platform] ?? LEFT.AWS!, wanted: platform === 'AWS' ? null : wanted }
    return ofRelease
      ? {
          outcome: 'skip',
          reason: `${reason} The operator of this release does not recognise it and skips it: update it by hand.`,
        }
      : { state: 'custom', outcome: 'skip', reason: listed ? SKIPPED_UNLISTED : SKIPPED }
  }
  return sets.map((set) => (open.includes(set) ? { ...set, image: { ...set.image, ...told(set.image) } } : set))
}

const OPEN: Outcome[] = ['undecided', 'not-known']

const RECOGNISED = 'Not the image of this release; the operator recognises it and updates it.'
/** Templates are replaced under their own name, and images of the Marketplace are none of the release's: equality tells nothing. */
const LEFT: Readonly<Record<string, string>> = {
  AWS: 'Not the release’s own image, and the operator has left it as it is in its last pass: the newest of a Marketplace product, by what it found then.',
  VSphere:
    'The operator has left it as it is in its last pass, which it does where vCenter says that the template holds the image of the release. Nothing in the cluster itself tells that.',
}
const SKIPPED =
  'Not the image of this release, and the operator skips it: an image of your own, or of a Marketplace product that has none for this release. To be updated by hand.'
const SKIPPED_UNLISTED =
  'Not the image of this release, and the operator skips it: an image of your own, or one of the Marketplace, which the operator of this release does not know. To be updated by hand.'

const FAILED_ON = 'The operator failed on it in its last pass'

/** Where what the operator says of its last pass stands in full anyway. */
export const withoutItsWords = (reason: string): string => reason.replace(new RegExp(`(${FAILED_ON}): [^]*$`), '$1.')

/**
 * A set that the operator names as one that it failed on: in Secrets and in the cloud it sees what nobody else does, and it does not
 * try again by itself.
 */
export function refineByErrors<T extends Enrolled & { set: { name: string } }>(
  sets: readonly T[],
  conditions: readonly Condition[],
): T[] {
  const failed = failedSets(conditions)
  return sets.map((view) => {
    const words = view.managed ? failed.get(view.set.name) : undefined
    if (words === undefined || ['error', 'crash'].includes(view.image.outcome)) return view
    const { patch: _, ...image } = view.image
    const reason = `${image.reason} ${FAILED_ON}: ${words.replace(/\.?$/, '.')}`.trim()
    return { ...view, image: { ...image, outcome: 'error' as const, reason } }
  })
}
