import { matcher, shareOf, type PolicyGroup, type Wave } from '../policies'

/** What fits no wave comes last. */
export const REST = 'rest'

/** A policy's waves, with the one for what fits none of them: only where somebody does not call one so already. */
export const withRest = (waves: readonly Wave[]): Wave[] => {
  const last = waves.at(-1)
  const takesAll = last && last.size === undefined && Object.keys(last.select ?? {}).length === 0
  return takesAll ? [...waves] : [...waves, { name: REST }]
}

/**
 * Which group is in which wave, as an index into `waves` (withRest): each wave takes what it selects of what is left, in the
 * order of cluster, control planes first, and name, up to its size. The same for the same groups, in whatever order.
 */
export function membersOf(
  waves: readonly Wave[],
  groups: readonly (PolicyGroup & { id: string })[],
): Map<string, number> {
  const left = new Set(groups.toSorted(byPlace))
  const found = new Map<string, number>()
  for (const [index, { select, size }] of waves.entries()) {
    const fits = matcher(select ?? {})
    let room = size === undefined ? Infinity : shareOf(size, groups.length)
    for (const group of left) {
      if (room <= 0) break
      if (!fits(group)) continue
      found.set(group.id, index)
      left.delete(group)
      room--
    }
  }
  return found
}

const placeOf = ({ cluster, workloadCluster, kind, namespace, name, id }: PolicyGroup & { id: string }): string[] => [
  ...[cluster, workloadCluster, kind === 'KubeadmControlPlane' ? '' : kind, namespace, name, id],
]

function byPlace(a: PolicyGroup & { id: string }, b: PolicyGroup & { id: string }): number {
  const [mine, theirs] = [placeOf(a), placeOf(b)]
  const i = mine.findIndex((part, at) => part !== theirs[at])
  return i < 0 ? 0 : mine[i]! < theirs[i]! ? -1 : 1
}
