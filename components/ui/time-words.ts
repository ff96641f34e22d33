/** "4 min 10 s", "2 h 5 min", "3 d 4 h": the two largest units. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = units.findIndex(([n]) => n > 0)
  if (first < 0) return '0 s'
  return units
    .slice(first, first + 2)
    .filter(([n]) => n > 0)
    .map(([n, unit]) => `${n} ${unit}`)
    .join(' ')
}

/**
 * The largest unit is enough for an age: "4 min ago". What is still to come is said with the next one, too: of "in 1 d" nobody
 * knows whether that is tomorrow. `bare`: only "4 min".
 */
export function ago(at: Date, now: number, bare = false): string {
  const ms = now - at.getTime()
  const hours = ms < -3_600_000 + 1500
  const words = duration(hours ? roundedToMinute(-ms) : Math.abs(ms))
    .split(' ')
    .slice(0, hours ? 4 : 2)
    .join(' ')
  if (Math.abs(ms) < 1500) return bare ? 'a moment' : 'just now'
  if (bare) return words
  return ms < 0 ? `in ${words}` : `${words} ago`
}

/** "7 h 59 min" four seconds after it was eight hours would be no news. */
const roundedToMinute = (ms: number): number => Math.round(ms / 60_000) * 60_000

/** "2026-11-21 09:41:05 UTC": the same on the server and in every browser. */
export const absoluteTime = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
