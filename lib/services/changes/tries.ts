import type { Decision } from '@/lib/db/generated/client'
import { cameLater } from '../policies/snapshot'

/** How often the object is read anew in one attempt. */
export const TRIES = 5
/** What goes wrong is tried again by the worker, but not for ever: then people are asked. */
export const MOST_ATTEMPTS = 5

type Tried = Pick<Decision, 'attempts' | 'policy'>

/** Whether it is tried again by itself where the cluster did not answer: of what goes by the clock nobody is there to do it. */
export const triesAgain = (decision: Tried): boolean => decision.attempts < MOST_ATTEMPTS || cameLater(decision)

const FIRST_MS = 15_000
const MOST_MS = 5 * 60_000

/** Ever more seldom. */
export const pauseAfter = ({ attempts }: Pick<Tried, 'attempts'>): number =>
  Math.min(MOST_MS, FIRST_MS * 2 ** (attempts - 1))

/** How often it was tried without any answer being known, where it goes on being tried by itself; else null. */
export const unansweredOf = (decision: Tried & Pick<Decision, 'state' | 'sentAt'>): number | null => {
  const { state, sentAt, attempts } = decision
  return state === 'applying' && sentAt !== null && attempts > 1 && triesAgain(decision) ? attempts : null
}

type Ended = Pick<Decision, 'state' | 'sentAt' | 'awaitsTime' | 'voidedAt' | 'error' | 'policy'>

/** When what had its time was tried last, and could not be sent: it is due again, and tried ever more seldom. Null: it is not so. */
export const triedAtOf = ({ state, sentAt, awaitsTime, voidedAt, error, ...decision }: Ended): Date | null =>
  state === 'voided' && awaitsTime && !sentAt && error !== null && cameLater(decision) ? voidedAt : null
