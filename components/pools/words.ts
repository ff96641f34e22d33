import type { ChipTone } from '@/components/ui'
import type { Phase, PoolState } from '@/lib/domain/pools/types'
import type { PoolDetail } from '@/lib/services/pools/get-pool'

/** Amber only where a person is needed: a paused pool goes on when somebody resumes it. */
export const STATES: Record<PoolState, { tone: ChipTone; words: string }> = {
  degraded: { tone: 'bad', words: 'degraded' },
  behind: { tone: 'needs', words: 'paused, behind' },
  unknown: { tone: 'plain', words: 'unknown' },
  updating: { tone: 'in-place', words: 'updating' },
  waiting: { tone: 'plain', words: 'not begun' },
  paused: { tone: 'plain', words: 'paused' },
  updated: { tone: 'good', words: 'up to date' },
}

/** Of what is paused, whether Drydock holds it or a person does: the one waits for an approval, the other for whoever resumes it. */
export const stateWords = (state: PoolState, held: boolean): string =>
  held && (state === 'behind' || state === 'paused')
    ? state === 'behind'
      ? 'held, waits for approval'
      : 'held'
    : STATES[state].words

export const PHASES: Record<Phase, { tone: ChipTone; words: string }> = {
  degraded: { tone: 'bad', words: 'degraded' },
  draining: { tone: 'in-place', words: 'draining' },
  updating: { tone: 'in-place', words: 'updating' },
  rebooting: { tone: 'in-place', words: 'rebooting' },
  pending: { tone: 'plain', words: 'waits its turn' },
  paused: { tone: 'plain', words: 'paused' },
  updated: { tone: 'good', words: 'up to date' },
}

/** What comes before the change of a pool that is not over. */
export function changeWords({ paused, hold }: Pick<PoolDetail, 'paused' | 'hold'>): string {
  const { change, governed, held, kept } = hold
  if (change?.state === 'rejected') return 'Its configuration was rejected'
  if (change?.state === 'waiting')
    return governed || held || kept
      ? 'A configuration waits for a decision'
      : 'A configuration waits until the pool is resumed; nothing is governed here, and nobody is asked'
  return paused ? 'Nothing more of its configuration begins before the pool is resumed' : 'A configuration is under way'
}

/** The address of this page with some of its query replaced. */
export function withQuery(
  path: string,
  query: URLSearchParams | string,
  changes: Record<string, string | null>,
): string {
  const next = new URLSearchParams(query)
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(key)
    else next.set(key, value)
  }
  return next.size > 0 ? `${path}?${next}` : path
}

/** What a chip says already, as a sentence: not said twice. */
const REPEATED = ['Up to date.', 'Rebooting.', 'Waits for its turn.']
export const isRepeated = (sentence: string): boolean => REPEATED.includes(sentence)
