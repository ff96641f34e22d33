import type { Wanting } from './exactly'
import type { WaveState } from './types'

/**
 * One look at a run whose groups may want different dates: `all`, as it stands for all of them together, and of each wave what most
 * of its groups that are not through are told, with a word about the others. `of`: how the waves stand for what is exactly wanted.
 */
export function together(
  all: readonly WaveState[],
  members: readonly Wanting[],
  of: ReadonlyMap<string | null, readonly WaveState[]>,
): WaveState[] {
  const told = all.map(() => new Map<string, { as: WaveState; groups: number }>())
  /** How each of them stands, and the last wave in which that is wanted. */
  const until = new Map<readonly WaveState[], number>()
  for (const { state, wave, exact = null } of members) {
    if (state !== 'open') continue
    const theirs = of.get(exact)!
    until.set(theirs, Math.max(until.get(theirs) ?? -1, wave))
    const as = theirs[wave]!
    const key = `${as.state} ${as.why ?? ''}`
    const found = told[wave]!.get(key)
    if (found) found.groups++
    else told[wave]!.set(key, { as, groups: 1 })
  }
  return all.map((wave, index) => {
    const [most, ...others] = [...told[index]!.values()].sort((a, b) => b.groups - a.groups)
    if (!most) {
      const waits = [...until].some(([theirs, last]) => last > index && theirs[index]!.state !== 'through')
      return waits && wave.state === 'through' && !wave.skipped
        ? { ...wave, why: 'not for all that wait after it: they want it with other dates' }
        : wave
    }
    const { groups, wanting, through, there } = wave
    const any = (what: 'asksPerson' | 'needsPerson') =>
      [most, ...others].some(({ as }) => as[what]) ? { [what]: true as const } : {}
    const why = [most.as.why, othersWords(others)].filter(Boolean).join('; ')
    return {
      ...{ ...most.as, groups, wanting, through, there },
      ...{ ...any('asksPerson'), ...any('needsPerson'), ...(why === '' ? {} : { why }) },
    }
  })
}

function othersWords(others: readonly { as: WaveState; groups: number }[]): string | null {
  if (others.length === 0) return null
  const groups = others.reduce((sum, one) => sum + one.groups, 0)
  const [want, wait] = groups === 1 ? ['of its groups wants', 'waits'] : ['of its groups want', 'wait']
  const [{ as }, ...more] = [others[0]!, ...others.slice(1)]
  const stand = more.length > 0 ? 'stands by itself' : as.state === 'waits' ? `${wait}: ${as.why}` : 'may go'
  return `${groups} ${want} it with another date, and ${stand}`
}
