import { unheardConfidence, unheardRisk, unheardVerdict } from '@/lib/domain/skew/unheard'
import { unheardWords } from '@/lib/domain/unheard'
import type { SkewRows } from '@/lib/providers/openshift/skew-rows'
import type { SilentParts } from './silent'

/** What is not heard any more is not known: nothing is judged by it, and nothing is offered to be acknowledged. */
export function unheardRows(rows: SkewRows, { verdict, images }: Pick<SilentParts, 'verdict' | 'images'>): SkewRows {
  const unheard = verdict ?? images
  if (!unheard) return rows
  return {
    ...rows,
    ...(verdict && { updateOpen: null }),
    judgement: verdict ? unheardVerdict(verdict, rows.evidence.operator, rows.version) : rows.judgement,
    nodeRisk: unheardRisk(images ?? unheard, rows.nodeRisk),
    confidence: unheardConfidence(unheard),
    unheardWhy: unheardWords(unheard),
    evidence: { ...rows.evidence, best: null },
  }
}
