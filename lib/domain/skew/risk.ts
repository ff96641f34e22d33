import type { Distance } from './distance'
import { NODE_RISKS, type NodeRisk } from './node-risk'
import { riskOf, SKEW_VERDICTS, type SkewVerdict } from './verdict'

/** What lists are sorted by, the highest first: the verdict, then whether new machines may fail, then what people said that no longer holds, then how near the floor is. */
export function riskScore(
  verdict: SkewVerdict,
  nodes: NodeRisk,
  isFlagged: boolean,
  distance: Distance | null,
): number {
  const worst = SKEW_VERDICTS.length - riskOf(verdict)
  const risk = NODE_RISKS.length - NODE_RISKS.indexOf(nodes)
  const near = distance ? Math.min(99, Math.max(0, 50 - distance.minors)) : 0
  return worst * 10_000 + risk * 1_000 + (isFlagged ? 500 : 0) + near
}
