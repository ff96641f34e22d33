import { oldSentence, unheardWords, type Unheard } from '../unheard'
import { SEVERITY, type PoolJudgement } from './state'

/** A pool is not heard any more: nobody knows its state. What is worse than that is not taken back, and said to be old. */
export function unheardPool(judged: PoolJudgement, unheard: Unheard): PoolJudgement {
  const { state, severity } = judged
  if (severity > SEVERITY.unknown) return { state, severity, sentence: oldSentence(judged.sentence, unheard) }
  const sentence = `${unheardWords(unheard)} What state it is in is not known.`
  return { state: 'unknown', severity: SEVERITY.unknown, sentence }
}
