import { oldSentence, unheardLower, unheardWords, type Unheard } from '../unheard'
import type { Confident } from './confidence'
import type { NodeRisked } from './node-risk'
import type { Condition, SkewMode } from './types'
import { closedUpdates, NOT_KNOWN, type Judgement } from './verdict'

/** As the operator says it, and ClusterVersion after it where nothing else is closed. */
export const SKEW_ERROR = 'ClusterBootImageSkewError'

/** What a verdict rests on is not heard any more: nobody knows it, whatever it was. What its ClusterOperator says may be heard still. */
export function unheardVerdict(unheard: Unheard, operator: Heard | null, release: string | null): Judgement {
  const says = closes(operator)
  return {
    verdict: 'unknown',
    sentence: `${unheardWords(unheard)} ${says ?? NOT_KNOWN}`,
    blocks: says === null ? null : closedUpdates(release),
  }
}

/** Nothing is said to be good by an image that may be another by now; what is bad is not taken back. */
export const unheardRisk = (unheard: Unheard, risked: NodeRisked): NodeRisked =>
  risked.level === 'likely'
    ? { level: 'likely', sentence: oldSentence(risked.sentence, unheard) }
    : { level: 'unknown', sentence: `Whether a new machine joins is not known: ${unheardLower(unheard)}` }

export const unheardConfidence = (unheard: Unheard): Confident => ({ level: 'unknown', why: unheardWords(unheard) })

/** Never says that nothing is closed, or that all is in range, where the cluster's own operator says that something is closed. */
export function besideOperator(
  judgement: Judgement,
  operator: Heard | null,
  release: string | null,
  mode: SkewMode | null,
): Judgement {
  const says = closes(operator)
  if (says === null || judgement.blocks !== null) return judgement
  const { verdict } = judgement
  const facts = judgement.sentence
    .replace(/^In range\. /, '')
    .replace(OPEN, '')
    .replace(NOT_COMPARED, '.')
    .replace(` ${NOT_KNOWN}`, '')
  const sentence = `${facts} ${says}`
  // What it compares in no mode, or not now, it may have closed before.
  const compares = verdict === 'ok' || verdict === 'unknown' || (verdict === 'not-enforced' && mode !== 'None')
  if (!compares) return { ...judgement, sentence }
  return { verdict: 'unknown', sentence, blocks: closedUpdates(release) }
}

/** Where the ClusterOperator itself is not heard: what ClusterVersion (`updates`) repeats of it, alone or among others. */
export function repeatedOperator(updates: Condition | null | undefined): Heard | null {
  if (updates?.status !== 'False') return null
  const said = REPEATED.exec(updates.message ?? '')?.[0]
  if (updates.reason !== SKEW_ERROR && !said) return null
  return { ...updates, reason: SKEW_ERROR, message: said ?? updates.message, repeated: true }
}
/** What an operator says, by itself or as ClusterVersion repeats it. */
type Heard = Condition & { repeated?: true }
/** The operator's own words (pkg/operator/status.go): what stands around them is of each release, and from 4.23 on names no operator. */
const REPEATED = /Upgrades have been disabled [^\n]*boot image[^\n]*/i
/** Up to 4.22 its reason stands in front where several object. */
export const isSkewWords = (words: string): boolean => REPEATED.exec(words.replace(`${SKEW_ERROR}: `, ''))?.index === 0

/** Only where its operator is heard, and closes nothing for boot images any more, will ClusterVersion (`updates`) follow it. */
export const updateLags = (operator?: Condition | null, updates?: Condition | null): boolean =>
  !!updates && isAlone(updates) && !!operator && closes(operator) === null

const isAlone = ({ reason, message }: Condition): boolean => reason === SKEW_ERROR || isSkewWords(message ?? '')

const OPEN = / ?Boot images keep nothing closed\.$/
const NOT_COMPARED =
  / and so does not compare it\.$|, and without one the operator blocks nothing\.$|, so it compares no record\.$/

/** That the operator keeps updates closed for its boot images, in its words; null: it does not. */
function closes(operator: Heard | null): string | null {
  if (operator?.status !== 'False' || operator.reason !== SKEW_ERROR) return null
  const { message, repeated } = operator
  const who = repeated ? 'ClusterVersion repeats that its operator' : 'Its ClusterOperator'
  return `${who} keeps updates closed for its boot images${message ? `: ${message.replace(/\.?$/, '.')}` : '.'}`
}
