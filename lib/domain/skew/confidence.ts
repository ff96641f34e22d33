import { standsTo, type Evidence, type EvidenceItem, type ImageVersion } from './evidence'
import { isUnsure, type Floor } from './floors'
import type { SkewState } from './types'
import { decisive } from './verdict'

/** How well what is recorded is supported by the images in use: as well as by the weakest piece. */
export const CONFIDENCES = ['certain', 'likely', 'at-least', 'unknown', 'against'] as const
export type Confidence = (typeof CONFIDENCES)[number]

/** The same beside what is recorded. */
export const CONFIDENCE_WORDS: Record<Confidence, string> = {
  certain: 'supported, certain',
  likely: 'supported, likely',
  'at-least': 'that or newer',
  unknown: 'support not known',
  against: 'evidence against it',
}

export interface Confident {
  level: Confidence
  why: string
}

type Said = Pick<SkewState, 'mode' | 'spec' | 'recorded'>

/** What is recorded stands for the oldest image in use: an older one speaks against it, whatever the others are. */
export function confidenceOf(evidence: Evidence, said: Said | null, floor: Floor | null): Confident {
  const record = said?.mode && said.mode !== 'None' ? decisive(said.recorded) : null
  if (!said || !record) return { level: 'unknown', why: 'Nothing is recorded.' }
  if (record.version === '0.0.0')
    return { level: 'unknown', why: 'The version that the cluster was installed with is not known.' }
  const sets = evidence.items.filter(({ source }) => source === 'machine-sets')
  const { level, why } = sets.length > 0 ? weakest(sets, record) : withoutSets(evidence, said, record)
  if (!floor || !isUnsure(floor, record.kind)) return { level, why }
  return {
    level: level === 'certain' ? 'likely' : level,
    why: `${why} The floor of this release is not known yet; the newest known one is taken.`,
  }
}

function weakest(sets: readonly EvidenceItem[], record: ImageVersion): Confident {
  const all = sets.map((item): Confident => ({ level: support(item, record), why: item.sentence }))
  return all.reduce((a, b) => (rank(a.level) >= rank(b.level) ? a : b))
}

/** Only a lower bound that is below the record says nothing: the image may be newer. */
function support({ image, sure }: EvidenceItem, record: ImageVersion): Confidence {
  const stands = image ? standsTo(image, record) : 'open'
  if (stands === 'not-older') return sure
  return stands === 'older' && sure !== 'at-least' ? 'against' : 'unknown'
}

/** A machine set that surely or likely starts from an older image than this version; none: nothing speaks against it. */
export const speaksAgainst = (word: ImageVersion, items: readonly EvidenceItem[]): EvidenceItem | undefined =>
  items.find((item) => item.source === 'machine-sets' && support(item, word) === 'against')

/** The operator’s own word holds; somebody’s word only as far as the installation. */
function withoutSets({ items }: Evidence, { spec }: Said, record: ImageVersion): Confident {
  const word = items.find(({ source }) => source === 'recorded')
  const install = items.find(({ source }) => source === 'install')
  const found =
    spec?.mode !== 'Manual' ? word : install?.image && support(install, record) === 'at-least' ? install : null
  if (found) return { level: found.sure, why: found.sentence }
  return { level: 'unknown', why: word?.sentence ?? 'Nothing in the cluster tells how old its boot images are.' }
}

const rank = (level: Confidence): number => CONFIDENCES.indexOf(level)
