import type { ChipTone } from '@/components/ui'
import type { PlanVerdict } from '@/lib/domain/plan'
import type { Verdict } from '@/lib/domain/verdict'
import type { DocumentOutcome, PlanGroup } from '@/lib/services/plan/types'

/** What the plan comes to, in words and with the mark of the hull; null: it is no verdict on machines. */
export const VERDICTS: Record<PlanVerdict, { words: string; mark: Verdict | null }> = {
  nothing: { words: 'No machine is updated or replaced', mark: 'up-to-date' },
  'in-place': { words: 'In place only', mark: 'in-place' },
  replace: { words: 'Machines are replaced or deleted', mark: 'replace' },
  unknown: { words: 'Not known for certain', mark: 'unknown' },
  blocked: { words: 'Blocked', mark: 'blocked' },
  invalid: { words: 'Cannot be applied', mark: null },
}

export const OUTCOMES: Record<DocumentOutcome, { words: string; tone: ChipTone }> = {
  new: { words: 'new', tone: 'plain' },
  changed: { words: 'changed', tone: 'plain' },
  unchanged: { words: 'as it is', tone: 'plain' },
  beside: { words: 'not about machines', tone: 'plain' },
  unknown: { words: 'not known', tone: 'plain' },
  invalid: { words: 'cannot be applied', tone: 'bad' },
}

/** What would keep the group from moving by itself, were the change applied now. */
export function heldSentence({ heldBy, changeSet }: Pick<PlanGroup, 'heldBy' | 'changeSet'>): string | null {
  if (changeSet.pairs.length === 0) return null
  switch (heldBy) {
    case 'latch':
      return 'Applied, the API server would hold it until somebody approves it.'
    case 'gate':
      return 'Applied, Cluster API would wait for the update gate, until somebody approves it.'
    case 'person':
      return 'The group is paused by somebody: applied, it would wait until that pause is taken away.'
    case 'hook':
      return 'Applied, Cluster API would ask before it hands the version down to the group, and wait until somebody approves it.'
    case 'none':
      return 'Nothing would hold it: applied, it would go ahead by itself at once.'
  }
}

/** The lines of a text from one to the end of that line, as a selection. */
export function lineRange(text: string, line: number): [number, number] {
  const lines = text.split('\n')
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  return [from, from + (lines[line - 1]?.length ?? 0)]
}
