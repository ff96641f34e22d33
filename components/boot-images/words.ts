import type { ChipTone } from '@/components/ui'
import type { FacetGroup } from '@/components/table/facets'
import { IMAGE_WORDS, imageWords } from '@/lib/domain/boot-images/image-words'
import type { SelectorOperator, SelectorRow } from '@/lib/domain/boot-images/managed/selector'
import type { Sure } from '@/lib/domain/skew/evidence'
import { NODE_RISK_WORDS, type NodeRisk } from '@/lib/domain/skew/node-risk'
import { CONFIDENCE_WORDS } from '@/lib/domain/skew/confidence'
import type { SkewVerdict } from '@/lib/domain/skew/verdict'
import { CLOSED, VERDICT_WORDS } from '@/lib/domain/skew/verdict-words'
import type { BootImageSummary } from '@/lib/services/skew/list'

export interface Told {
  tone: ChipTone
  words: string
}

const told = (tone: ChipTone, verdict: SkewVerdict): Told => ({ tone, words: VERDICT_WORDS[verdict] })
export const VERDICTS: Record<SkewVerdict, Told> = {
  'out-of-skew': told('bad', 'out-of-skew'),
  'update-failing': told('bad', 'update-failing'),
  unknown: told('plain', 'unknown'),
  evaluating: told('plain', 'evaluating'),
  'not-enforced': told('plain', 'not-enforced'),
  'unsupported-release': told('plain', 'unsupported-release'),
  ok: told('good', 'ok'),
}

/** The same words wherever a cluster is shown. */
export function verdictOf(verdict: string | null, closes = false): Told {
  const told = VERDICTS[(verdict ?? 'unknown') as SkewVerdict] ?? VERDICTS.unknown
  return closes && told === VERDICTS.unknown ? { tone: 'bad', words: CLOSED } : told
}

/** A verdict whose evidence is old is not good, and one that is not known may be about updates that are closed. */
export function toldOf(of: { verdict: SkewVerdict; unheard: unknown; closes: boolean }): Told {
  const { tone, words } = verdictOf(of.verdict, of.closes)
  return { words, tone: of.unheard && tone === 'good' ? 'plain' : tone }
}

/** Beside a verdict that does not say so: the operator fails in every mode, and in releases that have no limit. */
export const PASS_FAILED = 'last pass failed'

/** That a pass stands still, where the verdict is about something else: in Automatic that says it. */
export const stuckBeside = ({ passStuck, sentence }: { passStuck: string | null; sentence: string }): string | null =>
  passStuck !== null && sentence.startsWith(passStuck) ? null : passStuck

export const NODES: Record<NodeRisk, Told> = {
  likely: { tone: 'bad', words: NODE_RISK_WORDS.likely },
  possible: { tone: 'plain', words: NODE_RISK_WORDS.possible },
  unknown: { tone: 'plain', words: NODE_RISK_WORDS.unknown },
  no: { tone: 'plain', words: NODE_RISK_WORDS.no },
}

/** How far a piece of evidence carries. */
export const SURE: Record<Sure | 'unknown', string> = {
  certain: 'certain',
  likely: 'likely',
  'at-least': 'a lower bound',
  unknown: 'not known',
}

const TONES: Record<string, ChipTone> = { below: 'bad', outdated: 'replace', current: 'good' }

/** Of the image of a set, or that nodes started from. */
export const imageTold = (verdict: string): Told => ({ tone: TONES[verdict] ?? 'plain', words: imageWords(verdict) })

/** What clusters are filtered by, and is not counted beside their list: how a filter is called. */
export const TYPED_ONLY: readonly FacetGroup[] = [
  { key: 'sets', title: 'Machine sets', values: [], words: IMAGE_WORDS },
  { key: 'sure', title: 'Record', values: [], words: CONFIDENCE_WORDS },
]

/** What a line of a selector asks of a label. */
export const RULES: Record<SelectorOperator, string> = {
  In: 'is one of',
  NotIn: 'is none of',
  Exists: 'is there',
  DoesNotExist: 'is not there',
}

/** "pool=a", "zone is one of a, b", "example.com/frozen is not there"; with an operator that there is not, as it is stored. */
export const ruleInWords = ({ key, operator, values, stored }: SelectorRow): string =>
  operator === 'In' && values.length === 1 && stored === undefined
    ? `${key}=${values[0]}`
    : `${key} ${stored ?? RULES[operator]}${values.length > 0 ? ` ${values.join(', ')}` : ''}`

/**
 * What the list of clusters is headed by: boot images close updates also where nothing is below the floor, and the operator fails. Of
 * what is not heard nothing is said but that.
 */
export function headline({
  clusters,
  closed,
  unheard,
}: Pick<BootImageSummary, 'clusters' | 'closed' | 'unheard'>): string {
  if (clusters === 0) return 'Boot images'
  if (clusters === 1) {
    if (closed) return 'The boot images of the OpenShift cluster keep its updates closed.'
    return unheard
      ? 'Whether the boot image keeps updates closed is not known now.'
      : 'The boot image keeps no update closed.'
  }
  if (unheard > 0 && closed === 0)
    return unheard === clusters
      ? 'Whether boot images keep updates closed is not known now.'
      : `No cluster’s boot image is known to keep its updates closed; of ${unheard} of ${clusters} that is not known now.`
  if (closed === 0) return 'No cluster’s boot image keeps its updates closed.'
  return closed === 1
    ? `The boot images of one of ${clusters} OpenShift clusters keep its updates closed.`
    : `The boot images of ${closed} of ${clusters} OpenShift clusters keep their updates closed.`
}
