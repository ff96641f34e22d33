import type { OpenShiftFate } from '@/lib/services/audit/openshift-fate'
import type { Outcome } from './words'

/** What people decide on OpenShift; what its engine makes of that are events of their own. */
const DECIDED = new Set([
  ...['skew.acknowledged', 'skew.opted-out', 'skew.returned', 'managed.set', 'pool.paused', 'pool.resumed'],
  ...['admin-gate.acknowledged', 'admin-gate.withdrawn'],
])
export const isOpenShiftDecision = (action: string): boolean => DECIDED.has(action)

const UNSURE = 'it is not known whether the cluster took it'

/** What became of a decision; null: the cluster took it. */
export function openShiftOutcome(fate: OpenShiftFate): Outcome | null {
  const { state, error, stored, steps, unsure, takesBack } = fate
  const because = error ? `: ${error}` : ''
  const plain = (word: string, line: string): Outcome => ({ tone: 'plain', word, line })
  const some = `the cluster took ${stored} of its ${steps} steps`
  switch (state) {
    case 'accepted':
    case 'seen':
      return null
    case 'recorded':
    case 'applying':
    case 'waiting':
      if (takesBack) return plain('under way', 'cancelled; what was stored is being taken back')
      if (stored > 0) return plain('under way', `${some} so far`)
      return plain('recorded', unsure ? `${UNSURE} yet` : 'not accepted by the cluster yet')
    case 'failed':
      if (stored > 0) return { tone: 'bad', word: 'in part', line: `${some}${because}` }
      if (unsure) return { tone: 'bad', word: 'not known', line: `${UNSURE}${because}` }
      return { tone: 'bad', word: 'not accepted', line: `not accepted${because || ': the cluster refused it'}` }
    case 'superseded':
      if (stored > 0) return plain('in part', `${some}, and it was decided anew since${because}`)
      if (unsure) return plain('void', `decided anew since, and ${UNSURE}${because}`)
      return plain('no effect', `it took no effect${because}`)
    case 'cancelled':
      return plain('cancelled', error ?? 'cancelled since')
    case 'overtaken':
      return plain('written over', `accepted then, written over since${because}`)
  }
}
