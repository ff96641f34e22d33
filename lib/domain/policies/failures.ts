import type { FailureLimit } from './types'

const PERCENT = /^([1-9]\d?|100)%$/

/** Of how many failed machines a rollout stops; null: of none. Part of a machine counts as one. */
export function limitOf(limit: FailureLimit, machines: number): number | null {
  if (limit === 'never') return null
  if (typeof limit === 'number') return limit
  return Math.max(1, Math.ceil((Number.parseInt(limit, 10) * machines) / 100))
}

/** As it is typed or written; null: it is no limit. */
export function limitFrom(given: unknown): FailureLimit | null {
  if (given === 'never') return 'never'
  const number = typeof given === 'string' && /^\d{1,5}$/.test(given.trim()) ? Number(given) : given
  if (typeof number === 'number') return Number.isInteger(number) && number >= 1 && number <= 10_000 ? number : null
  return typeof given === 'string' && PERCENT.test(given.trim()) ? (given.trim() as FailureLimit) : null
}

/** "2 machines", "10% of the machines" */
export const limitWords = (limit: Exclude<FailureLimit, 'never'>): string =>
  typeof limit === 'number' ? `${limit} machine${limit === 1 ? '' : 's'}` : `${limit} of the machines`
