import type { ChipTone } from '@/components/ui'
import type { ChangeDto } from '@/lib/services/changes/change-row'

/** Of what every machine has, as lists have it. */
export function settlingShort({ stopped, counted }: Partial<Pick<ChangeDto, 'stopped' | 'counted'>>): {
  words: string
  tone: ChipTone
} {
  if (counted) return { words: 'Counted as done', tone: 'plain' }
  if (!stopped) return { words: 'Waits for machines to be Ready', tone: 'plain' }
  return { words: stopped.policy ? 'Stopped by itself' : 'Done only if somebody says so', tone: 'bad' }
}
