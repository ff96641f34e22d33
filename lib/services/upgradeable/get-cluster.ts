import { db } from '@/lib/db/client'
import type {
  AdminGate,
  ClusterUpdates,
  OpenShiftAction,
  OpenShiftCluster,
  UpgradeBlocker,
} from '@/lib/db/generated/client'
import { cannotWrite } from '@/lib/domain/access/cannot-write'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { Offered } from '@/lib/domain/skew/offered'
import { planeBeside } from '@/lib/domain/skew/plane-beside'
import type { StoredManagers } from '@/lib/domain/skew/stored'
import type { SkewSpec } from '@/lib/domain/skew/types'
import { ACKNOWLEDGED } from '@/lib/domain/upgradeable/gates'
import { explain, type ExplainWith } from '@/lib/domain/upgradeable/explain'
import { knownGate } from '@/lib/domain/upgradeable/known-gates'
import { nextMinor, updateKind } from '@/lib/domain/upgradeable/next-update'
import { asCommand } from '@/lib/domain/upgradeable/patches'
import {
  UNREAD,
  type Blocker,
  type BlockerSource,
  type GateState,
  type Override,
  type UpgradeState,
} from '@/lib/domain/upgradeable/types'
import type { JsonObject } from '@/lib/domain/json'
import type { Underway, UpdateChoice } from '@/lib/providers/openshift/operators'
import { DRYDOCK } from '@/lib/providers/written-by'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { actionDto, STORED, type ActionDto } from '../openshift/action-row'
import { gateKind, gateWishOf } from '../openshift/kinds/gate'
import { OFFER, offerOf } from '../skew/offer-of'
import { setsBeside } from '../skew/sets-beside'
import { GetInput } from './schemas'

export interface RemedyDto {
  sentence: string
  patch: { path: string; body: JsonObject; command: string } | null
  link: { label: string; href: string } | null
  acknowledges: boolean
}

export interface BlockerDto {
  key: string
  source: BlockerSource
  item: string
  reason: string
  /** Its operator's own words. */
  message: string
  since: string | null
  said: Blocker['said']
  sentence: string
  remedies: RemedyDto[]
}

export interface GateDto {
  name: string
  text: string
  state: GateState
  release: string | null
  ack: string | null
  firstSeenAt: string
  /** Who sets it, where that is known. */
  setBy: string | null
  /** It is for a release after the one that the cluster runs, and can be acknowledged before that. */
  ahead: boolean
  /** The newest decision on it from here. */
  action: ActionDto | null
  /** The decision that acknowledged it, where nobody else wrote that since; it may be older than the newest. */
  ackedWith: ActionDto | null
  /** It was acknowledged from here. */
  ackedHere: boolean
}

export interface UpgradeableDto {
  clusterId: string
  name: string
  version: string | null
  desired: string | null
  channel: string | null
  state: UpgradeState
  sentence: string
  /** ClusterVersion's own condition, where it says no. */
  condition: { reason: string; message: string } | null
  blockers: BlockerDto[]
  gates: GateDto[]
  /** Why Drydock cannot acknowledge gates there, whoever decides; null: it can. */
  cannotWrite: string | null
  choices: UpdateChoice[]
  underway: Underway | null
  /** read | missing | unreadable */
  read: { gates: string; acks: string; operators: string }
  cluster: { state: string; message: string | null; lastHeardAt: string | null }
  /** ClusterVersion cannot be read any more: why, and since when; null: it is heard. */
  unheard: { why: string; since: string | null } | null
}

/** What is written of gates: of ConfigMaps admin-acks alone. */
const ACKNOWLEDGEMENTS = { group: '', resource: 'configmaps' }
/** Of the newest decisions those that are looked through; a cluster has a gate or two. */
const ACTIONS = 100
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** The same; `not-found` where there is no such cluster. */
export async function getUpgradeable(ctx: Ctx, input: unknown): Promise<UpgradeableDto> {
  const found = await findUpgradeable(ctx, input)
  if (found) return found
  throw new ServiceError('not-found', 'There is no OpenShift cluster of that name, or it has not been read yet.')
}

/**
 * One cluster: whether updates to another minor version are open, every reason with what to do, and its gates. Null: it is no
 * OpenShift cluster, or has not been read yet.
 */
export async function findUpgradeable(ctx: Ctx, input: unknown): Promise<UpgradeableDto | null> {
  requirePermission(ctx, 'fleet:read')
  const { cluster } = parseInput(GetInput, input)
  const where = UUID.test(cluster) ? { clusterId: cluster } : { cluster: { name: cluster } }
  const named = {
    cluster: { select: { name: true, state: true, stateMessage: true, lastHeardAt: true, discovery: true } },
  }
  // Of one moment: reasons and what their patches are made of belong together.
  const [row, blockers, gates, card, actions] = await db().$transaction(
    [
      db().clusterUpdates.findFirst({ where, include: named }),
      db().upgradeBlocker.findMany({ where, orderBy: { position: 'asc' } }),
      db().adminGate.findMany({ where: { ...where, state: { not: UNREAD } }, orderBy: { position: 'asc' } }),
      db().openShiftCluster.findFirst({ where, select: CARD }),
      db().openShiftAction.findMany({
        where: { ...where, kind: gateKind.kind },
        orderBy: { recordedAt: 'desc' },
        take: ACTIONS,
      }),
    ],
    { isolationLevel: 'RepeatableRead' },
  )
  if (!row) return null
  const context = contextOf(row, row.cluster.name, card, await setsBeside([row.clusterId]))
  return {
    clusterId: row.clusterId,
    name: row.cluster.name,
    version: row.version,
    desired: row.desired,
    channel: row.channel,
    state: row.state as UpgradeState,
    sentence: row.sentence,
    condition: row.reason === null ? null : { reason: row.reason, message: row.message ?? '' },
    blockers: blockers.map((blocker) => blockerDto(blocker, context)),
    gates: gates.map((gate) =>
      gateDto(
        gate,
        row.version,
        actions.filter((action) => gateWishOf(action).gate === gate.name),
      ),
    ),
    cannotWrite: cannotWrite(row.cluster.discovery as Partial<Capabilities> | null, ACKNOWLEDGEMENTS),
    choices: row.choices as unknown as UpdateChoice[],
    underway: row.underway as unknown as Underway | null,
    read: { gates: row.gatesRead, acks: row.acksRead, operators: row.operatorsRead },
    cluster: {
      state: row.cluster.state,
      message: row.cluster.stateMessage,
      lastHeardAt: row.cluster.lastHeardAt?.toISOString() ?? null,
    },
    unheard: row.unheardWhy === null ? null : { why: row.unheardWhy, since: row.unheardSince?.toISOString() ?? null },
  }
}

const CARD = { ...OFFER, managed: true, passFailed: true, recordedOcp: true, recordedRhcos: true } as const

/** What patches are made of; of a cluster whose boot images are not read yet, those that need them are left out. */
function contextOf(
  row: ClusterUpdates,
  name: string,
  card: Pick<OpenShiftCluster, keyof typeof CARD> | null,
  sets: Parameters<typeof planeBeside>[0],
): ExplainWith {
  const offer = card && offerOf(card)
  // Or is to be, as soon as the operator has taken up what it is told.
  const { manual } = (card?.specSkew ?? {}) as Partial<SkewSpec>
  const recorded = [card?.recordedOcp, card?.recordedRhcos, manual?.ocpVersion, manual?.rhcosVersion]
  const isRecorded = recorded.includes(offer?.version)
  const managed = card?.managed as Partial<StoredManagers> | undefined
  return {
    next: nextMinor(row.desired),
    overrides: row.overrides as unknown as Override[],
    managers: managed?.spec ?? undefined,
    bootImage: isRecorded || !offer ? null : besidesPlane(offer, sets),
    bootImages: `/boot-images?cluster=${encodeURIComponent(name)}`,
    passFailed: card?.passFailed ?? null,
  }
}

/** The patch is as good as the sheet that records the same: what that says beside the version is said here as well. */
function besidesPlane(offer: Offered, sets: Parameters<typeof planeBeside>[0]): Offered {
  const besides = planeBeside(sets, { kind: offer.versionKind, version: offer.version })
  return { ...offer, why: [offer.why, besides].filter(Boolean).join(' ') || null }
}

function blockerDto(row: UpgradeBlocker, context: ExplainWith): BlockerDto {
  const { key, item, reason, message } = row
  const since = row.since?.toISOString() ?? null
  const blocker: Blocker = {
    ...{ item, reason, message, since },
    source: row.source as BlockerSource,
    said: row.said as Blocker['said'],
  }
  const { sentence, remedies } = explain(blocker, context)
  return {
    ...blocker,
    key,
    sentence,
    remedies: remedies.map(({ sentence, patch, link, acknowledges = false }) => ({
      sentence,
      patch: patch ? { path: patch.path, body: patch.body, command: asCommand(patch) } : null,
      link: link ?? null,
      acknowledges,
    })),
  }
}

function gateDto(row: AdminGate, version: string | null, actions: OpenShiftAction[]): GateDto {
  const [action] = actions
  const stored = actions.find(({ state }) => STORED.some((one) => one === state))
  const ackedHere = row.ack === ACKNOWLEDGED && row.ackedBy === DRYDOCK
  return {
    name: row.name,
    text: row.text,
    state: row.state as GateState,
    release: row.release,
    ack: row.ack,
    firstSeenAt: row.firstSeenAt.toISOString(),
    setBy: knownGate(row.name)?.setBy ?? null,
    ahead: row.state === 'other-release' && updateKind(version ?? '', row.release ?? '') === 'minor',
    action: action ? actionDto(action) : null,
    ackedWith: ackedHere && stored?.action === 'acknowledge' ? actionDto(stored) : null,
    ackedHere,
  }
}
