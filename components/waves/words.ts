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

export function toneOf({ state, asksPerson }: Stands): ChipTone {
  if (asksPerson) return 'needs'
  return state === 'through' ? 'good' : 'plain'
}
