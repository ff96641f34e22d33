import type { Wave, WaveSize } from './types'

const PERCENT = /^([1-9]\d?|100)%$/

/** As it is typed or written; null: it is no size of a wave. */
export function sizeFrom(given: unknown): WaveSize | null {
  const number = typeof given === 'string' && /^\d{1,5}$/.test(given.trim()) ? Number(given) : given
  if (typeof number === 'number') return Number.isInteger(number) && number >= 1 && number <= 10_000 ? number : null
  return typeof given === 'string' && PERCENT.test(given.trim()) ? (given.trim() as WaveSize) : null
}

/** "canary (then 24h)": one wave in few words. */
export function waveWords({ name, size, soak, ownApproval }: Wave): string {
  const parts = [size && `${size}${typeof size === 'number' ? '' : ' of the groups'}`, soak && `then ${soak}`]
  const asks = ownApproval ? 'begun by a person' : ''
  const words = [...parts, asks].filter(Boolean).join(', ')
  return words ? `${name} (${words})` : name
}

/** "canary (then 24h), then rest": in which order groups go. */
export const wavesWords = (waves: readonly Wave[]): string => waves.map(waveWords).join(', then ')
