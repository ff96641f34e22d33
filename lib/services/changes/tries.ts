import type { Decision } from '@/lib/db/generated/client'
import { cameLater, snapshotOf, type PutOff } from '../policies/snapshot'

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

const MOST_REASONS = 20

/** All tries of a decision that sent nothing, by what stood in the way: the one that put it off last among them. */
export function putOffsOf(decision: Ended): PutOff[] {
  const before = snapshotOf(decision)?.putOff ?? []
  const { error } = decision
  const last = triedAtOf(decision)?.toISOString()
  if (!last || error === null) return before
  const same = before.find((one) => one.error === error)
  const now = { error, first: same?.first ?? last, last, count: (same?.count ?? 0) + 1 }
  return [...before.filter((one) => one !== same), now].slice(-MOST_REASONS)
}

export const triesIn = (putOffs: readonly PutOff[]): number => putOffs.reduce((sum, { count }) => sum + count, 0)
