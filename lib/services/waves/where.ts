import { matcher, type PolicyGroup, type Selection, type Wave } from '@/lib/domain/policies'
import type { Membership, Waved } from './membership'
import type { Place } from './place'

/** Where a place is among the waves as they are written now. */
function indexNow(waves: readonly Wave[], place: Place): number {
  const index = waves.findIndex(({ name }) => name === place.name)
  return index >= 0 ? index : Math.min(place.index, waves.length - 1)
}

/** Once placed by this version of the policy a group stays in its wave: others that come do not take its place. */
export const staysIn = ({ policy }: Waved, wave: number, place: Place | undefined): number =>
  place?.policyId === policy.id && place.version === policy.version ? place.index : wave

type Known = Omit<PolicyGroup, 'labels'>

/** Kept with what is kept of a policy, and of a group: it is asked of every group of which not all is known, for each policy. */
const kept = new WeakMap<Selection, (group: Known) => boolean>()
const NO_LABELS = {}

function askedOnce({ labels: _, ...select }: Selection): (group: Known) => boolean {
  const fits = matcher(select)
  const known = new WeakMap<Known, boolean>()
  return (group) => {
    const may = known.get(group) ?? fits({ ...group, labels: NO_LABELS }) !== null
    known.set(group, may)
    return may
  }
}

/** Whether it may be for a group, by all that is known of that. */
export function mayBeFor(select: Selection, group: Known): boolean {
  const may = kept.get(select) ?? askedOnce(select)
  kept.set(select, may)
  return may(group)
}

/**
 * In which of a policy's waves a group is of which nobody knows what holds for it now: in that in which it was placed last. Where the
 * policy by which it was is gone, has no waves any more, or is not for it any more, in those of any that may be for it. Null: in none.
 * `placing`: policies that have waves, and which groups each is for.
 */
export function waveOf(
  { policy, waves, select }: Waved,
  { place, group }: { place: Place | undefined; group: Known },
  placing: Membership['placing'],
): number | null {
  if (!place) return null
  const by = placing.get(place.policyId)
  const isFor = by && mayBeFor(by, group) ? place.policyId === policy.id : mayBeFor(select, group)
  return isFor ? indexNow(waves, place) : null
}

/** A group whose labels nobody knows at this moment is in the wave in which it was placed last: it is not left out by that. */
export function withUnknown(
  one: Waved,
  unknown: Membership['unknown'],
  { places, placing }: { places: ReadonlyMap<string, Place>; placing: Membership['placing'] },
): Waved {
  const added = unknown.flatMap(({ group, ...known }): Waved['groups'] => {
    const wave = waveOf(one, { place: places.get(known.id), group }, placing)
    return wave === null ? [] : [{ ...known, wave, unknown: true }]
  })
  return added.length > 0 ? { ...one, groups: [...one.groups, ...added] } : one
}
