import { db } from '@/lib/db/client'
import { clusterPage, setPage } from '@/lib/db/queries/boot-images'
import { cannotWrite } from '@/lib/domain/access/cannot-write'
import { byHand, forPlane, type ByHand } from '@/lib/domain/boot-images/by-hand'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { PassCounts } from '@/lib/domain/boot-images/counts'
import { withoutItsWords } from '@/lib/domain/boot-images/refine'
import { canAct } from '@/lib/domain/skew/availability'
import type { BestEvidence, EvidenceItem } from '@/lib/domain/skew/evidence'
import type { Offered } from '@/lib/domain/skew/offered'
import { managingInWords, releaseNotes } from '@/lib/domain/skew/releases'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import { SKEW_ERROR, updateLags } from '@/lib/domain/skew/unheard'
import { WHY_NO_PLATFORM, type Condition } from '@/lib/domain/skew/types'
import { getManaged, type Managed } from '../boot-images/get-managed'
import { parseInput, requirePermission, type Ctx } from '../context'
import { actionDto } from '../openshift/action-row'
import { CLUSTER_CONFIGURATION, skewKind } from '../openshift/kinds/skew'
import { underWayOn, type UnderWayOn } from '../openshift/under-way'
import type { SkewActionDto } from './action-row'
import { getBesides, type Besides } from './besides'
import { bootImageRow, type BootImageRow } from './cluster-row'
import { acknowledgedIn, offerOf } from './offer-of'
import { lostWord, type LostWord } from './lost-word'
import { imageSetRow, type ImageSetRow } from './list-sets'
import { CardInput } from './schemas'
import { whereCluster } from './where-cluster'

/** One OpenShift cluster in full. */
export interface BootImageCard extends Omit<
  BootImageRow,
  'id' | 'recorded' | 'floor' | 'managed' | 'managedWords' | 'sets' | 'connection'
> {
  clusterId: string
  topology: string | null
  blocks: string | null
  /** An acknowledgement, an opt-out or a return would be acted on by the cluster's operator. */
  acts: boolean
  /** Why Drydock cannot write any of that there, as far as its connection was checked. */
  cannotWrite: string | null
  recorded: { ocpVersion: string | null; rhcosVersion: string | null }
  floor: { ocp: string | null; rhel: string | null }
  evidence: EvidenceItem[]
  best: BestEvidence | null
  /** ClusterVersion keeps updates closed for boot images alone: where these keep nothing closed any more, it follows. */
  updateLags: boolean
  /** The operator's own reason, where it is another one than skew. */
  otherReason: { reason: string; message: string; hides: boolean } | null
  /** The operator has not taken up the newest configuration yet. */
  pending: boolean
  /** What its own configuration acknowledges, and its operator has taken up. */
  acknowledged: string | null
  /** What an acknowledgement begins with. */
  offer: Offered | null
  /** spec carries a stanza: there is something to return from. */
  configured: boolean
  managed: string
  managesAll: boolean
  /** What this release does about boot images on this platform, and what else is to be known of it. */
  releaseWords: string[]
  /** What the controller says of its last pass. */
  pass: PassCounts | null
  /** What to do where the operator does nothing; null: it does, or its platform is not known. */
  byHand: ByHand | null
  /** Why it is not known what it runs on, of a cluster that is read otherwise; null: it is. */
  platformUnread: string | null
  /** Image release that the cluster's own release wants, for naming images. */
  streamVersion: string | null
  sets: ImageSetRow[]
  action: SkewActionDto | null
  /** What is under way on its MachineConfiguration, of whatever kind: nothing else can be decided meanwhile. */
  underWay: UnderWayOn | null
  /** What was decided here last on the limit, and somebody wrote over. */
  lostWord: LostWord | null
  /** Which machine sets the operator keeps current; null: none, on this platform. */
  managing: Managed | null
  /** What else of this cluster decides on its updates. */
  besides: Besides
  cluster: { state: string; message: string | null; lastHeardAt: string | null }
}

/** What is written of boot images. */
export const CONFIGURATIONS = { group: 'operator.openshift.io', resource: 'machineconfigurations' }

/** A cluster has some dozens of machine sets; whoever has more is told how many, and finds them in the list of all. */
const CARD_SETS = 500

/** One cluster's boot images and their limit, by its id or its name; null: it is no OpenShift cluster, or is not connected. */
export async function getBootImageCard(ctx: Ctx, input: unknown): Promise<BootImageCard | null> {
  requirePermission(ctx, 'fleet:read')
  const { cluster } = parseInput(CardInput, input)
  const found = await db().managementCluster.findUnique({
    where: whereCluster(cluster),
    select: { id: true, name: true, discovery: true },
  })
  if (!found) return null
  const only = { cluster: found.name, terms: [], words: [], descending: true }
  const [[row], stored, sets, action, underWay, lost, managing, besides] = await Promise.all([
    clusterPage({ ...only, sort: 'risk' }, 1),
    db().openShiftCluster.findUnique({ where: { clusterId: found.id } }),
    setPage({ ...only, sort: 'risk' }, CARD_SETS),
    db().openShiftAction.findFirst({ where: { clusterId: found.id, kind: 'skew' }, orderBy: { recordedAt: 'desc' } }),
    underWayOn(found.id, CLUSTER_CONFIGURATION, skewKind.target(CLUSTER_CONFIGURATION).words),
    lostWord(found.id),
    getManaged(ctx, { cluster: found.id }),
    getBesides(ctx, found.name),
  ])
  if (!row) return null
  const { id: clusterId, recorded: _r, floor: _f, managed: _m, managedWords, connection, ...shared } = bootImageRow(row)
  const evidence = (stored?.evidence ?? {}) as unknown as Partial<StoredEvidence>
  const acts = shared.availability !== null && canAct(shared.availability)
  const word = stored && acknowledgedIn(stored)
  const managed = (stored?.managed ?? {}) as unknown as Partial<StoredManagers>
  return {
    ...shared,
    clusterId,
    topology: stored?.topology ?? null,
    blocks: stored?.blocks ?? null,
    acts,
    cannotWrite: cannotWrite(found.discovery as Partial<Capabilities> | null, CONFIGURATIONS),
    recorded: { ocpVersion: row.recordedOcp, rhcosVersion: row.recordedRhcos },
    floor: { ocp: row.floorOcp, rhel: row.floorRhel },
    evidence: evidence.items ?? [],
    best: evidence.best ?? null,
    updateLags: updateLags(evidence.operator, evidence.updates),
    otherReason: otherReason(evidence.operator ?? null, stored?.blocks != null),
    pending: stored !== null && stored.observedGeneration < stored.generation,
    acknowledged: word?.ocpVersion ?? word?.rhcosVersion ?? null,
    offer: stored && offerOf(stored),
    configured: stored !== null && stored.specSkew !== null,
    managed: managedWords,
    managesAll: managed.effective?.some((m) => m.resource === 'machinesets' && m.selection.mode === 'All') ?? false,
    releaseWords: [
      managingInWords(row.version, row.platform ?? ''),
      ...releaseNotes(row.version, row.platform ?? '', managed.spec ?? undefined),
    ].filter((words) => words !== null),
    pass: evidence.pass ?? null,
    byHand: stepsFor(sets.map(imageSetRow), row, acts),
    platformUnread: row.version !== null && row.platform === null ? WHY_NO_PLATFORM : null,
    streamVersion: evidence.streamVersion ?? null,
    sets: sets.map(imageSetRow).map((set) => (row.passFailed ? { ...set, reason: withoutItsWords(set.reason) } : set)),
    action: action && (actionDto(action) as SkewActionDto),
    ...{ underWay, lostWord: lost, managing, besides },
    cluster: connection,
  }
}

/** Somebody has to: on a platform that the operator leaves alone, or where a set's image is none that it touches. */
function stepsFor(
  sets: ImageSetRow[],
  { managed, platform }: { managed: string; platform: string | null },
  acts: boolean,
): ByHand | null {
  const leaves = (kind: string) =>
    sets.some((s) => s.kind === kind && s.state !== 'current' && ['skip', 'ignore'].includes(s.outcome))
  if (managed === 'not-managed' || leaves('MachineSet')) return byHand(platform, acts) ?? null
  const recipe = leaves('ControlPlaneMachineSet') ? byHand(platform) : undefined
  return recipe ? forPlane(recipe) : null
}

/** It hides the skew from ClusterVersion only where the skew keeps updates closed as well. */
function otherReason(operator: Condition | null, hides: boolean): BootImageCard['otherReason'] {
  if (!operator || operator.status !== 'False' || operator.reason === SKEW_ERROR) return null
  return { reason: operator.reason ?? '', message: operator.message ?? '', hides }
}
