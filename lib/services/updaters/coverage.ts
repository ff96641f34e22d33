import type { Coverage, RevisionPair } from '@/lib/domain/changes'
import type { Compared } from '@/lib/providers/cluster-api/changes'
import { canUpdate } from './can-update'
import { UpdaterError, type UpdaterTarget } from './transport'

/** What the updaters said about one pair, and who covers which field. */
export interface Known {
  coverage: Coverage
  by: ReadonlyMap<string, string>
}

const TIMEOUT_MS = 4_000

/** Asks the updaters what Cluster API would ask. One that cannot be asked makes it unknown, never a guess. */
export async function coverageOf(
  updaters: readonly UpdaterTarget[],
  { hook, request }: NonNullable<Compared['question']>,
  timeoutMs = TIMEOUT_MS,
): Promise<Known> {
  try {
    const answer = await canUpdate(updaters, hook, request, timeoutMs)
    return { coverage: { uncovered: answer.covered ? [] : answer.uncovered }, by: answer.by }
  } catch (error) {
    const unknown = error instanceof UpdaterError ? error.message : 'The updaters could not be asked.'
    return { coverage: { unknown }, by: new Map() }
  }
}

/** The pair with the names of those who cover its fields. */
export function covered(pair: RevisionPair, by: ReadonlyMap<string, string>): RevisionPair {
  return {
    ...pair,
    changes: pair.changes.map((change) => {
      const name = by.get(`${change.object}: ${change.path}`)
      return name ? { ...change, coveredBy: name } : change
    }),
  }
}
