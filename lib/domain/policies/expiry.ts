const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const DURATION = /^([1-9]\d{0,3})([mhd])$/

/** Milliseconds of "30m", "24h", "7d"; null: "never". Throws RangeError for anything else. */
export function durationOf(text: string): number | null {
  if (text === 'never') return null
  const [, count, unit] = DURATION.exec(text) ?? []
  if (!count || !unit) throw new RangeError(`${text} is no duration: 30m, 24h, 7d or never`)
  return Number(count) * UNITS[unit]!
}

export const isDuration = (text: string): boolean => text === 'never' || DURATION.test(text)
