/** A number, or a share as "10%", of machines or of groups. */
export type Share = number | `${number}%`

const PERCENT = /^([1-9]\d?|100)%$/

/** How many that is; part of one counts as one. */
export const shareOf = (share: Share, all: number): number =>
  typeof share === 'number' ? share : Math.max(1, Math.ceil((Number.parseInt(share, 10) * all) / 100))

/** As it is typed or written; null: it is none. */
export function shareFrom(given: unknown): Share | null {
  const number = typeof given === 'string' && /^\d{1,5}$/.test(given.trim()) ? Number(given) : given
  if (typeof number === 'number') return Number.isInteger(number) && number >= 1 && number <= 10_000 ? number : null
  return typeof given === 'string' && PERCENT.test(given.trim()) ? (given.trim() as Share) : null
}
