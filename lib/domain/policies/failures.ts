import { shareFrom, shareOf } from './share'
import type { FailureLimit } from './types'

/** Of how many failed machines a rollout stops; null: of none. */
export const limitOf = (limit: FailureLimit, machines: number): number | null =>
  limit === 'never' ? null : shareOf(limit, machines)

/** As it is typed or written; null: it is no limit. */
export const limitFrom = (given: unknown): FailureLimit | null => (given === 'never' ? 'never' : shareFrom(given))

/** "2 machines", "10% of the machines" */
export const limitWords = (limit: Exclude<FailureLimit, 'never'>): string =>
  typeof limit === 'number' ? `${limit} machine${limit === 1 ? '' : 's'}` : `${limit} of the machines`
