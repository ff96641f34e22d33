import type { Evidence, EvidenceItem } from './evidence'
import type { Floor } from './floors'
import type { SkewMode } from './types'

/** How sure it is that what is recorded is true of the images in use: as sure as the weakest piece. */
export const CONFIDENCES = ['certain', 'likely', 'at-least', 'unknown'] as const
export type Confidence = (typeof CONFIDENCES)[number]

export interface Confident {
  level: Confidence
  why: string
}

/** Of the operator's decision nothing is in doubt but the floor; of the images it is, wherever something could not be dated. */
export function confidenceOf(evidence: Evidence, mode: SkewMode | null, floor: Floor | null): Confident {
  const sets = evidence.items.filter((item) => item.source === 'machine-sets')
  const weakest = sets.reduce<EvidenceItem | null>((a, b) => (a && rank(a.sure) >= rank(b.sure) ? a : b), null)
  const record = evidence.items.find((item) => item.source === 'recorded')
  const found = weakest ?? record ?? evidence.items[0]
  if (!found) return { level: 'unknown', why: 'Nothing in the cluster tells how old its boot images are.' }
  const level = floor?.source === 'newer' && found.sure === 'certain' ? 'likely' : found.sure
  const doubt =
    floor?.source === 'newer' && mode !== 'None'
      ? ' The floor of this release is not known yet; the newest known one is taken.'
      : ''
  return { level, why: `${found.sentence}${doubt}` }
}

const rank = (sure: EvidenceItem['sure']): number => CONFIDENCES.indexOf(sure)
