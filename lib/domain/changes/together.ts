import type { FieldChange, RevisionPair, ShownChange } from './types'

/** The changes of all pairs, each once, with the pairs that have it where not all do. */
export function shownTogether(pairs: readonly Pick<RevisionPair, 'from' | 'changes'>[]): ShownChange[] {
  const seen = new Map<string, { change: FieldChange; of: Set<string> }>()
  for (const { from, changes } of pairs)
    for (const { digest: _, ...change } of changes) {
      const key = JSON.stringify([change.object, change.path, change.current, change.desired])
      const known = seen.get(key)
      const of = (known?.of ?? new Set()).add(from)
      // Nobody is asked about a pair that is replaced in any case; of another one the same field may be covered.
      const better = !known || (change.coveredBy && !known.change.coveredBy)
      seen.set(key, { change: better ? change : known.change, of })
    }
  return [...seen.values()].map(({ change, of }) => (of.size === pairs.length ? change : { ...change, of: [...of] }))
}
