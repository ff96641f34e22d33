import { Chip, VerdictChip } from '@/components/ui'
import type { PlanVerdict } from '@/lib/domain/plan'
import { VERDICTS } from './words'

/** What a plan, or one group of it, comes to. */
export function ComesTo({ verdict }: { verdict: PlanVerdict }) {
  const { words, mark } = VERDICTS[verdict]
  return mark ? <VerdictChip verdict={mark}>{words}</VerdictChip> : <Chip tone="bad">{words}</Chip>
}
