import { db } from '@/lib/db/client'
import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { NODE_RISKS, type NodeRisk, type NodeRisked } from '@/lib/domain/skew/node-risk'
import { toldBefore, unlistedWords } from '@/lib/domain/unheard'
import type { SkewRows } from '@/lib/providers/openshift/skew-rows'

/** What is to be said at the least of new machines until something is listed; null: what else tells of them. */
export interface RiskBefore {
  /** It was judged before. */
  isKnown: boolean
  planes: NodeRisked | null
  map: NodeRisked
}

/** What is listed later than what is waited for, or cannot be listed: that nothing of it is there says nothing. */
export interface Unlisted {
  planes: boolean
  map: boolean
}

const MAP = 'ConfigMap coreos-bootimages'

/** By what was told of a cluster before this worker follows it. */
export async function riskBefore(row: OpenShiftCluster | null, clusterId: string): Promise<RiskBefore> {
  const before = row && { level: row.nodeRisk as NodeRisk, sentence: toldBefore(row.nodeRiskWhy) }
  const bad = before?.level === 'likely' ? before : null
  const map = bad ?? NEVER_JUDGED.map
  // What was not heard then told nothing good.
  if (!row) return NEVER_JUDGED
  if (row.unheardWhy !== null) return { isKnown: true, map, planes: bad ?? NEVER_JUDGED.planes }
  const planes = await db().bootImageSet.count({ where: { clusterId, kind: 'ControlPlaneMachineSet' } })
  return { isKnown: true, map, planes: planes > 0 ? before : null }
}

/** Nothing good is told by what was not listed, what is bad is not taken back, and no version is offered without the images of the release. */
export function unlistedRows(rows: SkewRows, unlisted: Unlisted, before: RiskBefore): SkewRows {
  const risks = [unlisted.planes ? before.planes : null, unlisted.map ? before.map : null]
  const nodeRisk = risks.reduce<NodeRisked>((now, least) => (least && isWorse(least, now) ? least : now), rows.nodeRisk)
  if (!unlisted.map) return { ...rows, nodeRisk }
  const confidence = { level: 'unknown', why: unlistedWords(MAP) } as const
  return { ...rows, nodeRisk, confidence, evidence: { ...rows.evidence, best: null } }
}

const isWorse = (a: NodeRisked, b: NodeRisked): boolean => NODE_RISKS.indexOf(a.level) < NODE_RISKS.indexOf(b.level)

function notListed(what: string): NodeRisked {
  const words = unlistedWords(what)
  return { level: 'unknown', sentence: `Whether a new machine joins is not known: i${words.slice(1)}` }
}

export const NEVER_JUDGED: RiskBefore = {
  ...{ isKnown: false, planes: notListed('ControlPlaneMachineSet'), map: notListed(MAP) },
}
