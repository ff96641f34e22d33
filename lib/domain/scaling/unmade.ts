import { scaledBy, type SetSize } from './carry'

/** A machine set as its MachineDeployment numbers it: what it goes over to has the highest. */
export type Revision = SetSize & { revision: number }

/**
 * Machine sets that are to make no more machines once their group is held, though they were told to: each that came after one which has
 * machines still, and the newest of several where it has what waits. What the first of them lacks was let go before, and is made again.
 */
export function unmade(sets: readonly Revision[]): Revision[] {
  const isNewest = ({ revision }: Revision) => sets.every((one) => one.revision <= revision)
  return sets.filter((set) => {
    const before = sets.filter(({ revision }) => revision < set.revision)
    const comes = before.some(({ replicas, has }) => replicas > 0 || has > 0)
    if (!comes && !(before.length > 0 && set.wished && isNewest(set))) return false
    // What was carried to it here is what its group wants by now; what hands its machines over makes none.
    return set.replicas > set.has && !set.disabled && !set.moves && scaledBy(set) === null
  })
}
