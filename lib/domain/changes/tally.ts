import { fenceposts, type RolloutStrategy } from '../rollout'

export interface Tallied {
  group: { kind: string; replicas: number }
  strategy: RolloutStrategy
  /** Of the wanted revision already. */
  upToDate: number
  /** Old revisions, the oldest first; `able`: updated in place where Cluster API has no reason to delete. */
  olds: readonly { machines: number; able: boolean }[]
  /** Spares that come where that is so (sparesFor); absent: as of healthy machines. */
  spares?: number
}

/** How many machines a rollout comes to. Created less deleted is always wanted less there. */
export interface Tally {
  /** Updated in place, and there afterwards. */
  stay: number
  /** Deleted, and another one created for it. */
  replaced: number
  /** Of those replaced: those that could be updated in place, and go for the spares that were created first. */
  spare: number
  /** Because more, or fewer, are wanted than there are: fewer also where spares are there already. */
  added: number
  removed: number
}

/** Whether Cluster API must bring a spare machine even where everything goes in place. */
export function needsSpare({ group, strategy }: Pick<Tallied, 'group' | 'strategy'>): boolean {
  if (strategy.type === 'OnDelete') return false
  if (group.kind === 'KubeadmControlPlane') return strategy.maxSurge !== 0 && strategy.maxSurge !== '0'
  return fenceposts(strategy, group.replicas).unavailable === 0
}

/**
 * The counts of a rollout of healthy machines without playing it, which of a large group takes too long for every look at
 * it: the same as those of the rollout played forward (tally.unit.test.ts). Machines have their turn by age. While there
 * are more than wanted, or enough are up to date, one that cannot be updated in place just goes; else another one comes
 * for it, and where none may be missing, one comes before the first moves.
 */
export function tallyOf(input: Tallied): Tally {
  const { replicas } = input.group
  const most = replicas + (needsSpare(input) ? 1 : 0)
  const there = input.olds.reduce((sum, { machines }) => sum + machines, input.upToDate)
  let [now, upToDate, stay, spare] = [there, input.upToDate, 0, 0]
  let created = 0
  const create = (upTo: number) => {
    const more = Math.max(0, upTo - now)
    now += more
    upToDate += more
    created += more
  }
  if (input.olds.some(({ machines }) => machines > 0)) create(Math.max(most, replicas + (input.spares ?? 0)))
  for (const { machines, able } of input.olds) {
    if (machines === 0) continue
    create(most)
    const stays = able ? Math.min(machines, Math.max(0, replicas - upToDate)) : 0
    upToDate += stays
    stay += stays
    const goes = machines - stays
    // The first may go, and those that are too many: for each one more, another one has come before.
    const come = Math.max(0, goes - 1 - (now - most))
    if (able) spare += created > 0 ? goes : come
    now += come - goes
    upToDate += come
    created += come
  }
  create(replicas)
  const added = Math.max(0, replicas - there)
  return {
    stay,
    replaced: created - added,
    spare: Math.min(spare, created),
    added,
    removed: Math.max(0, there - replicas),
  }
}
