import { scaledBy, type SetSize } from './carry'

/** A machine set as its MachineDeployment numbers it: what it goes over to has the highest. */
export type Revision = SetSize & { revision: number }

/**
 * Machine sets that are to make no more machines once their group is held, though they were told to: each that came after one which is
 * to have machines still. Where none is, everything was let go before: what such a one lacks is its own, of a scaling or in place of one that went.
 */
export function unmade(sets: readonly Revision[]): Revision[] {
  return sets.filter((set) => {
    const comes = sets.some(({ revision, replicas }) => revision < set.revision && replicas > 0)
    // What was carried to it here is what its group wants by now; what hands its machines over makes none.
    return comes && set.replicas > set.has && !set.disabled && !set.moves && scaledBy(set) === null
  })
}
