import type { Distance } from './distance'
import { NODE_RISKS, type NodeRisk } from './node-risk'
import { riskOf, SKEW_VERDICTS, type Judgement } from './verdict'

/**
 * What lists are sorted by, the highest first: what closes updates, then where new machines may fail, what people said no longer holds
 * or the operator fails, then the verdict, and how near the floor is.
 */
export function riskScore(
  { verdict, blocks }: Pick<Judgement, 'verdict' | 'blocks'>,
  nodes: NodeRisk,
  isFlagged: boolean,
  distance: Distance | null,
  fails = false,
): number {
  const worst = SKEW_VERDICTS.length - riskOf(verdict)
  const risk = NODE_RISKS.length - NODE_RISKS.indexOf(nodes)
  const near = distance ? Math.min(99, Math.max(0, 50 - distance.minors)) : 0
  const open = nodes === 'likely' || isFlagged || fails ? BEFORE_QUIET : worst * 10_000
  const base = blocks === null ? open : Math.max(CLOSES_FROM, worst * 10_000)
  return base + risk * 1_000 + (isFlagged ? 500 : 0) + near
}

/** What closes updates has no less: a verdict that says so, or the operator's word beside one that does not. */
export const CLOSES_FROM = (SKEW_VERDICTS.length - riskOf('update-failing')) * 10_000
/** Below whatever closes updates, and above all verdicts that do not. */
const BEFORE_QUIET = 55_000
/** What its part of the score is where machines are likely not to join, and the whole of both parts where nothing closes updates. */
export const LIKELY = NODE_RISKS.length * 1_000
export const LIKELY_AND_OPEN = BEFORE_QUIET + LIKELY
