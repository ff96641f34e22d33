import type { Wave } from './types'

/** "canary (then 24h)": one wave in few words. */
function waveWords({ name, size, soak, ownApproval }: Wave): string {
  const parts = [size && `${size}${typeof size === 'number' ? '' : ' of the groups'}`, soak && `then ${soak}`]
  const asks = ownApproval ? 'begun by a person' : ''
  const words = [...parts, asks].filter(Boolean).join(', ')
  return words ? `${name} (${words})` : name
}

/** "canary (then 24h), then rest": in which order groups go. */
export const wavesWords = (waves: readonly Wave[]): string => waves.map(waveWords).join(', then ')
