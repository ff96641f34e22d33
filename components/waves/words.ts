import type { ChipTone } from '@/components/ui'
import { closedWords } from '@/components/updates/timing-words'
import type { WaveBesides } from '@/lib/services/changes/wave-besides'
import type { WaveDto } from '@/lib/services/waves/list-runs'

type Stands = Pick<WaveDto, 'state' | 'skipped' | 'asksPerson' | 'soaksAfter' | 'wanting'>

/** Where a wave stands, in a chip. */
export function standsWords({ state, skipped, asksPerson, soaksAfter, wanting }: Stands): string {
  if (skipped) return 'not waited for'
  if (state === 'through') return wanting === 0 ? 'nothing to do' : 'through'
  if (state === 'open') return 'open'
  if (asksPerson) return 'waits for somebody’s word'
  return soaksAfter ? 'soaks' : 'waits'
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

const FEW = 4

/** What still holds groups of a wave that begins, those with the most groups first. */
export function besidesWords({ held, more }: WaveBesides): string[] {
  const groups = (n: number) => (n === 1 ? '1 group stays held' : `${n} groups stay held`)
  const rest = held.slice(FEW).reduce((sum, one) => sum + one.groups, 0)
  return [
    ...held.slice(0, FEW).map((one) => `${groups(one.groups)}. ${closedWords(one.timing)}`),
    ...(rest > 0 ? [`${groups(rest)} for other reasons.`] : []),
    ...(more > 0 ? [`${more} more were not looked at.`] : []),
  ]
}
