import type { ChipTone } from '@/components/ui'
import type { WaveDto } from '@/lib/services/waves/list-runs'

type Stands = Pick<WaveDto, 'state' | 'skipped' | 'asksPerson' | 'opensAt' | 'wanting'>

/** Where a wave stands, in a chip. */
export function standsWords({ state, skipped, asksPerson, opensAt, wanting }: Stands): string {
  if (skipped) return 'not waited for'
  if (state === 'through') return wanting === 0 ? 'nothing to do' : 'through'
  if (state === 'open') return 'open'
  if (asksPerson) return 'waits for somebody’s word'
  return opensAt ? 'soaks' : 'waits'
}

/** What its groups want, and have. */
export function groupsWords({ wanting, through, there }: Pick<WaveDto, 'wanting' | 'through' | 'there'>): string {
  const have = there > 0 ? `${there} ${there === 1 ? 'has' : 'have'} it already` : ''
  if (wanting === 0) return have || 'none wants it'
  return `${through} of ${wanting} through${have && `, ${have}`}`
}

export function toneOf({ state, asksPerson }: Stands): ChipTone {
  if (asksPerson) return 'needs'
  return state === 'through' ? 'good' : 'plain'
}
