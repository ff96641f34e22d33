import { db } from '@/lib/db/client'
import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { datedFromText } from '@/lib/domain/skew/dated-text'
import { FLOOR_NOW, type Floor } from '@/lib/domain/skew/floors'
import { isFlagOf } from '@/lib/domain/skew/flagged'
import { isBelow, NODE_RISKS, type NodeRisk, type NodeRisked } from '@/lib/domain/skew/node-risk'
import { toldBefore, unlistedWords } from '@/lib/domain/unheard'
import type { SkewRows } from '@/lib/providers/openshift/skew-rows'

/** A machine set as it was, with the image that it had then. */
interface SetBefore {
  id: string
  kind: string
  current: string | null
  dated: string | null
}

/** What was told last by all that it is told by, or by another worker. */
export interface RiskBefore {
  /** It was judged before. */
  isKnown: boolean
  /** New machines may not join. */
  bad: NodeRisked | null
  /** Sets that this may have been told by: for as long as one of them stands as it was, so does it. */
  causes: readonly SetBefore[]
  sets: readonly SetBefore[]
  /** What is to be said at the least until the control plane's set is listed; null: what else tells of them. */
  planes: NodeRisked | null
  flagged: string | null
}

/** What is listed later than what is waited for, or cannot be listed: that nothing of it is there says nothing. */
export interface Unlisted {
  planes: boolean
  map: boolean
}

const MAP = 'ConfigMap coreos-bootimages'
const PLANE = 'ControlPlaneMachineSet'

/** By what was told of a cluster before this worker follows it. */
export async function riskBefore(row: OpenShiftCluster | null, clusterId: string): Promise<RiskBefore> {
  if (!row) return NEVER_JUDGED
  const sets = await db().bootImageSet.findMany({
    ...{ where: { clusterId }, select: { id: true, kind: true, current: true, dated: true } },
  })
  const { floorOcp: ocp, floorRhel: rhel, flaggedWhy: flagged } = row
  const risk = { level: row.nodeRisk as NodeRisk, sentence: toldBefore(row.nodeRiskWhy) }
  return before(
    risk,
    sets,
    { ocp: ocp ?? FLOOR_NOW.ocp, rhel: rhel ?? FLOOR_NOW.rhel },
    flagged,
    row.unheardWhy === null,
  )
}

/** The same of what has just been told, with all that it is told by. */
export const riskNow = ({ nodeRisk, sets, floor, flaggedWhy }: SkewRows): RiskBefore =>
  before(nodeRisk, sets, floor ?? FLOOR_NOW, flaggedWhy, true)

function before(
  risk: NodeRisked,
  sets: readonly SetBefore[],
  floor: Pick<Floor, 'ocp' | 'rhel'>,
  flagged: string | null,
  isHeard: boolean,
): RiskBefore {
  const isBad = risk.level === 'likely'
  const old = sets.filter(({ dated }) => dated && isBelow({ dated: datedFromText(dated) }, floor))
  const good = sets.some(({ kind }) => kind === PLANE) ? risk : null
  return {
    ...{ isKnown: true, bad: isBad ? risk : null, causes: old.length > 0 ? old : sets, sets, flagged },
    // What was not heard then told nothing good.
    planes: isHeard && !isBad ? good : NEVER_JUDGED.planes,
  }
}

/** Nothing good is told by what was not listed, what is bad is not taken back, and no version is offered without the images of the release. */
export function unlistedRows(rows: SkewRows, unlisted: Unlisted, before: RiskBefore): SkewRows {
  const stands = (set: SetBefore): boolean =>
    (unlisted.planes && set.kind === PLANE) ||
    rows.sets.some(({ id, current }) => id === set.id && current === set.current)
  const bad = before.causes.some(stands) ? before.bad : null
  const risks = [unlisted.planes ? (bad ?? before.planes) : null, unlisted.map ? (bad ?? notListed(MAP)) : null]
  const nodeRisk = risks.reduce<NodeRisked>((now, least) => (least && isWorse(least, now) ? least : now), rows.nodeRisk)
  if (!unlisted.map) return { ...rows, nodeRisk }
  const isFlagged = before.flagged !== null && isFlagOf(before.flagged, rows.state) && before.sets.some(stands)
  return {
    ...{ ...rows, nodeRisk, flaggedWhy: rows.flaggedWhy ?? (isFlagged ? before.flagged : null) },
    confidence: { level: 'unknown', why: unlistedWords(MAP) },
    evidence: { ...rows.evidence, best: null },
  }
}

const isWorse = (a: NodeRisked, b: NodeRisked): boolean => NODE_RISKS.indexOf(a.level) < NODE_RISKS.indexOf(b.level)

function notListed(what: string): NodeRisked {
  const words = unlistedWords(what)
  return { level: 'unknown', sentence: `Whether a new machine joins is not known: i${words.slice(1)}` }
}

export const NEVER_JUDGED: RiskBefore = {
  ...{ isKnown: false, bad: null, causes: [], sets: [], planes: notListed(PLANE), flagged: null },
}
