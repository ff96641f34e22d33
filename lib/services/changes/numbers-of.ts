import type { OutlookInput, RevisionPair } from '@/lib/domain/changes'
import type { GroupChange } from '@/lib/providers/cluster-api/changes'
import type { MachineCounts } from './machine-counts'
import { sparesLeft } from './spares-left'
import { sparesMade } from './spares-made'

/** What the numbers of a group's change go by, but for what updaters say. */
export async function numbersOf(
  { owner, replicas, strategy, digest }: GroupChange,
  pairs: RevisionPair[],
  { machines, deleting, updating, outOfService, unavailable, awayIn }: MachineCounts,
  impossible?: string,
): Promise<Omit<OutlookInput, 'coverage' | 'updaters'>> {
  const old = pairs.reduce((sum, pair) => sum + pair.machines, 0)
  return {
    group: { kind: owner.kind, name: owner.name, replicas },
    strategy,
    machines: Math.max(machines, old),
    pairs,
    ...{ deleting, updating, outOfService, unavailable },
    ...(owner.kind === 'MachineDeployment' ? { away: awayIn(pairs.map(({ from }) => from)) } : {}),
    // Asked only where as many as are wanted are up to date: else it says nothing.
    spares: !impossible && old > 0 && replicas <= machines - old ? await sparesLeft(owner.uid, digest) : 0,
    made: old > 0 && replicas < machines ? await sparesMade(owner.uid, digest) : 0,
    ...(impossible ? { impossible } : {}),
  }
}
