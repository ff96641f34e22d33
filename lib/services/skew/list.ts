import { db } from '@/lib/db/client'
import type { BootImageSet, OpenShiftCluster } from '@/lib/db/generated/client'
import type { Condition } from '@/lib/domain/skew/types'
import type { BestEvidence, EvidenceItem } from '@/lib/domain/skew/evidence'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import { riskOf, type SkewVerdict } from '@/lib/domain/skew/verdict'
import { parseInput, requirePermission, type Ctx } from '../context'
import { actionDto } from '../openshift/action-row'
import type { SkewActionDto } from './action-row'
import { ListInput } from './schemas'

export interface BootImageSetDto {
  id: string
  kind: string
  name: string
  replicas: number
  state: BootImageStateName
  reason: string
  current: string | null
  wanted: string | null
}
export type BootImageStateName = 'current' | 'outdated' | 'custom' | 'excluded' | 'unknown'

export interface BootImageCard {
  clusterId: string
  name: string
  infrastructureName: string | null
  version: string | null
  platform: string | null
  topology: string | null
  skewSupported: boolean
  verdict: SkewVerdict
  sentence: string
  blocks: string | null
  mode: string | null
  recorded: { ocpVersion: string | null; rhcosVersion: string | null }
  floor: { ocp: string | null; rhel: string | null }
  evidence: EvidenceItem[]
  best: BestEvidence | null
  /** The operator's own reason, where it is another one than skew. */
  otherReason: { reason: string; message: string } | null
  /** The operator has not taken up the newest configuration yet. */
  pending: boolean
  /** spec carries a stanza: there is something to return from. */
  configured: boolean
  managed: string
  managesAll: boolean
  /** Image release that the cluster's own release wants, for naming images. */
  streamVersion: string | null
  sets: BootImageSetDto[]
  action: SkewActionDto | null
  cluster: { state: string; message: string | null; lastHeardAt: string | null }
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** Every OpenShift cluster's boot images and their limit, the worst first. */
export async function listBootImages(ctx: Ctx, input: unknown): Promise<BootImageCard[]> {
  requirePermission(ctx, 'fleet:read')
  const { cluster } = parseInput(ListInput, input)
  const where = !cluster ? {} : UUID.test(cluster) ? { clusterId: cluster } : { cluster: { name: cluster } }
  const [rows, sets, actions] = await Promise.all([
    db().openShiftCluster.findMany({
      where,
      include: { cluster: { select: { name: true, state: true, stateMessage: true, lastHeardAt: true } } },
    }),
    db().bootImageSet.findMany({ where, orderBy: [{ kind: 'desc' }, { name: 'asc' }] }),
    db().openShiftAction.findMany({
      where: { ...where, kind: 'skew' },
      distinct: ['clusterId'],
      orderBy: { recordedAt: 'desc' },
    }),
  ])
  const setsOf = grouped(sets)
  const actionOf = new Map(actions.map((action) => [action.clusterId, actionDto(action) as SkewActionDto]))
  return rows
    .map((row) => card(row, setsOf.get(row.clusterId) ?? [], actionOf.get(row.clusterId) ?? null))
    .sort((a, b) => riskOf(a.verdict) - riskOf(b.verdict) || a.name.localeCompare(b.name))
}

const grouped = (sets: BootImageSet[]): Map<string, BootImageSet[]> => {
  const map = new Map<string, BootImageSet[]>()
  for (const set of sets) {
    const list = map.get(set.clusterId)
    if (list) list.push(set)
    else map.set(set.clusterId, [set])
  }
  return map
}

type Row = OpenShiftCluster & {
  cluster: { name: string; state: string; stateMessage: string | null; lastHeardAt: Date | null }
}

function card(row: Row, sets: BootImageSet[], action: SkewActionDto | null): BootImageCard {
  const evidence = row.evidence as unknown as Partial<StoredEvidence>
  const managed = row.managed as unknown as Partial<StoredManagers>
  return {
    clusterId: row.clusterId,
    name: row.cluster.name,
    infrastructureName: row.infrastructureName,
    version: row.version,
    platform: row.platform,
    topology: row.topology,
    skewSupported: row.skewSupported,
    verdict: row.verdict as SkewVerdict,
    sentence: row.sentence,
    blocks: row.blocks,
    mode: row.mode,
    recorded: { ocpVersion: row.recordedOcp, rhcosVersion: row.recordedRhcos },
    floor: { ocp: row.floorOcp, rhel: row.floorRhel },
    evidence: evidence.items ?? [],
    best: evidence.best ?? null,
    otherReason: otherReason(evidence.operator ?? null),
    pending: row.observedGeneration < row.generation,
    configured: row.specSkew !== null,
    managed: managed.words ?? '',
    managesAll: managed.effective?.some((m) => m.resource === 'machinesets' && m.selection.mode === 'All') ?? false,
    streamVersion: evidence.streamVersion ?? null,
    sets: sets.map(({ id, kind, name, replicas, state, reason, current, wanted }) => ({
      id,
      kind,
      name,
      replicas,
      state: state as BootImageStateName,
      reason,
      current,
      wanted,
    })),
    action,
    cluster: {
      state: row.cluster.state,
      message: row.cluster.stateMessage,
      lastHeardAt: row.cluster.lastHeardAt?.toISOString() ?? null,
    },
  }
}

function otherReason(operator: Condition | null): BootImageCard['otherReason'] {
  if (!operator || operator.status !== 'False' || operator.reason === 'ClusterBootImageSkewError') return null
  return { reason: operator.reason ?? '', message: operator.message ?? '' }
}
