import type { ClusterListRow } from '@/lib/db/queries/boot-images'
import type { Availability } from '@/lib/domain/skew/availability'
import type { Confidence } from '@/lib/domain/skew/confidence'
import { distanceFrom, distanceInWords } from '@/lib/domain/skew/distance'
import type { NodeRisk } from '@/lib/domain/skew/node-risk'
import type { SkewVerdict } from '@/lib/domain/skew/verdict'

/** One OpenShift cluster in the list: what it says of its boot images, without the evidence itself. */
export interface BootImageRow {
  id: string
  name: string
  infrastructureName: string | null
  version: string | null
  platform: string | null
  verdict: SkewVerdict
  /** Boot images keep its updates closed: by the verdict, or by the operator's word beside one that does not say so. */
  closes: boolean
  sentence: string
  mode: string | null
  /** Why it is in this mode, or has none. */
  modeWhy: string | null
  availability: Availability | null
  /** "4.12.7", "RHCOS 9.2.20230101-0"; null: nothing is recorded */
  recorded: string | null
  floor: string | null
  /** Minor releases above the floor, negative below it. */
  distance: number | null
  distanceWords: string
  nodeRisk: NodeRisk
  nodeRiskWhy: string
  confidence: Confidence
  confidenceWhy: string
  managed: string
  managedWords: string
  updateOpen: boolean | null
  flaggedWhy: string | null
  /** What the operator says of its last pass, where that failed; it keeps updates closed in mode Automatic alone. */
  passFailed: string | null
  /** That it stands still in the middle of one, in words. */
  passStuck: string | null
  /** What it is told by and is not heard any more: all of it is as old. */
  unheard: { why: string; since: string | null } | null
  saidBy: string | null
  saidWhy: string | null
  reviewAt: string | null
  reviewDue: boolean
  sets: Record<string, number>
  connection: { state: string; message: string | null; lastHeardAt: string | null }
}

export function bootImageRow(row: ClusterListRow): BootImageRow {
  const { recordedOcp, recordedRhcos, floorOcp, floorRhel } = row
  const shown = row.mode !== null && row.mode !== 'None'
  const recorded = {
    ...(recordedOcp && { ocpVersion: recordedOcp }),
    ...(recordedRhcos && { rhcosVersion: recordedRhcos }),
  }
  // Without a distance these two may be of a floor that nobody knows; or the record is what is not known.
  const isGuess = row.floorUnsure && row.distance === null && ['ok', 'unknown'].includes(row.verdict)
  const floor =
    floorOcp && floorRhel && !isGuess ? ({ ocp: floorOcp, rhel: floorRhel, source: 'table' } as const) : null
  return {
    id: row.id,
    name: row.name,
    infrastructureName: row.infrastructureName,
    version: row.version,
    platform: row.platform,
    verdict: row.verdict as SkewVerdict,
    closes: row.closes,
    sentence: row.known ? (row.sentence ?? '') : unread(row),
    mode: row.mode,
    modeWhy: row.modeWhy,
    availability: row.availability as Availability | null,
    recorded: shown ? (recordedOcp ?? (recordedRhcos && `RHCOS ${recordedRhcos}`)) : null,
    floor: floor && (recordedRhcos && !recordedOcp ? `RHEL ${floor.rhel}` : floor.ocp),
    distance: row.distance,
    distanceWords: shown && row.distance !== null ? distanceInWords(distanceFrom(recorded, floor)) : '',
    nodeRisk: row.nodeRisk as NodeRisk,
    nodeRiskWhy: row.nodeRiskWhy ?? '',
    confidence: row.confidence as Confidence,
    confidenceWhy: row.confidenceWhy ?? '',
    managed: row.managed,
    managedWords: row.managedWords ?? '',
    updateOpen: row.updateOpen,
    flaggedWhy: row.flaggedWhy,
    passFailed: row.passFailed,
    passStuck: row.passStuck,
    unheard: row.unheardWhy === null ? null : { why: row.unheardWhy, since: row.unheardSince?.toISOString() ?? null },
    saidBy: row.saidBy,
    saidWhy: row.saidWhy,
    reviewAt: row.reviewAt?.toISOString() ?? null,
    reviewDue: row.reviewDue,
    sets: row.sets,
    connection: {
      state: row.connection,
      message: row.connectionMessage,
      lastHeardAt: row.lastHeardAt?.toISOString() ?? null,
    },
  }
}

/** Its watches have not brought everything that the verdict rests on. */
function unread({ refused, connection, connectionMessage }: ClusterListRow): string {
  if (refused) return `Its ${refused.replace(/\.?$/, '.')}`
  if (connection === 'unreachable' || connection === 'unauthorised')
    return `Nothing was read of it yet. ${connectionMessage ?? ''}`.trim()
  return 'Nothing was read of its boot images yet.'
}
