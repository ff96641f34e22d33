import { failure, type Failure } from '@/lib/auth/failure'
import { atMost } from '@/lib/at-most'
import { ServiceError } from '../errors'
import type { DecisionDto } from './change-row'
import { ON_ITS_PAGE } from './several-left-out'

/** What became of one of several: its decision, or why there is none. */
export interface OneResult {
  changeId: string
  /** refused: nothing was released; unanswered: whether it took is not known. */
  outcome: 'decided' | 'refused' | 'unanswered' | 'not-begun'
  decision: Omit<DecisionDto, 'calls'> | null
  failure: Failure | null
}

/** As many at once as leave a server, its database and a cluster to others. */
const AT_ONCE = 4
/** Whoever waits for an answer gets one: nothing more is begun after this. */
const ENOUGH_MS = 30_000

/** Decides one after the other, a few at once. What one of them is refused with, or fails at, is no matter to the others. */
export async function decideEach<Of extends { changeId: string }>(
  changes: readonly Of[],
  decide: (one: Of) => Promise<DecisionDto>,
  { enoughMs = ENOUGH_MS } = {},
): Promise<OneResult[]> {
  const until = Date.now() + enoughMs
  const turn = atMost(AT_ONCE)
  return Promise.all(
    changes.map((one) => turn(async () => (Date.now() < until ? resultOf(one, decide) : notBegun(one)))),
  )
}

async function resultOf<Of extends { changeId: string }>(
  one: Of,
  decide: (one: Of) => Promise<DecisionDto>,
): Promise<OneResult> {
  const { changeId } = one
  try {
    const { calls: _, ...decision } = await decide(one)
    return { changeId, outcome: outcomeOf(decision), decision, failure: null }
  } catch (error) {
    const outcome = error instanceof ServiceError ? 'refused' : 'unanswered'
    return { changeId, outcome, decision: null, failure: failure(whereToType(error), 'decideEach') }
  }
}

function outcomeOf({ state, noAnswer }: Pick<DecisionDto, 'state' | 'noAnswer'>): OneResult['outcome'] {
  if (noAnswer) return 'unanswered'
  return state === 'failed' || state === 'voided' ? 'refused' : 'decided'
}

/** Nobody types a name for one of many. */
function whereToType(error: unknown): unknown {
  const asks = error instanceof ServiceError && error.more.fields?.some(({ field }) => field === 'typedName')
  return asks ? new ServiceError(error.code, error.message, { hint: ON_ITS_PAGE }) : error
}

const notBegun = ({ changeId }: { changeId: string }): OneResult => ({
  changeId,
  outcome: 'not-begun',
  decision: null,
  failure: {
    code: 'unavailable',
    message: 'It was not begun: those before it took too long.',
    hint: 'Nothing was decided on it. Try it again.',
  },
})
