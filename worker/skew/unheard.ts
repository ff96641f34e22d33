import { repeatedOperator, unheardConfidence, unheardRisk, unheardVerdict } from '@/lib/domain/skew/unheard'
import { unheardWords } from '@/lib/domain/unheard'
import type { SkewRows } from '@/lib/providers/openshift/skew-rows'
import { VERSIONS, type SilentParts } from './silent'

type Silent = Pick<SilentParts, 'verdict' | 'images' | 'record' | 'streams'>

/** What is not heard any more is not known: nothing is judged by it, and nothing is offered to be acknowledged. */
export function unheardRows(rows: SkewRows, { verdict, images, record, streams }: Silent): SkewRows {
  const unheard = verdict ?? images
  const unsupported = verdict ?? record
  if (!unheard) return rows
  const { operator, updates } = rows.evidence
  const says = operator ?? (streams.includes(VERSIONS) ? null : repeatedOperator(updates))
  return {
    ...rows,
    ...(verdict && { updateOpen: null }),
    judgement: verdict ? unheardVerdict(verdict, says, rows.version) : rows.judgement,
    nodeRisk: unheardRisk(images ?? unheard, rows.nodeRisk),
    ...(unsupported && { confidence: unheardConfidence(unsupported) }),
    unheardWhy: unheardWords(unheard),
    evidence: { ...rows.evidence, best: null },
  }
}
