import { db } from '@/lib/db/client'
import { asLeft, withMade, type HullData } from '@/lib/domain/hull'
import { POOL } from '@/lib/domain/latch/hold'
import type { WhyUnasked } from '@/lib/domain/latch/unasked'
import type { NoRoom } from '@/lib/domain/rollout/no-room'
import type { TheirPause } from '@/lib/domain/their-pause'
import { getChange, type ChangeDetail } from '../changes/get-change'
import { listChanges, type ChangePage } from '../changes/list-changes'
import { policyOfChange, type ChangePolicy, type PolicyProblem } from '../changes/policy-of-change'
import { listedStanding, type ListedStanding } from '../changes/listed-standing'
import { standingsWhereKnown } from '../changes/standing'
import { OVER, WAITING } from '../changes/change-row'
import { endedOf, type Ended } from '../changes/ended'
import { placeOfGroup, type GroupPlace } from '../changes/place'
import { asksForApproval } from '../changes/asks-for-approval'
import { awaitedNodes, type Awaited } from '../changes/awaited-nodes'
import { cannotLetGo } from '../changes/cannot-let-go'
import { heldFor, heldSince, unaskedSince, type HeldFor } from '../changes/held-for'
import { lateHold, type LateHold } from '../changes/late-hold'
import { unheard, type Unheard } from '../changes/unheard'
import { noRoomFor } from '../changes/no-room'
import { madeUnasked } from '../changes/made-unasked'
import { nodesMovedUnapproved } from '../changes/moved-unapproved'
import { approvedWhenBegun } from '../changes/approved-then'
import type { ApprovedThen } from '@/lib/domain/latch/approved-then'
import { nobodyDecidesAmong } from '../changes/nobody-decides'
import { planeOf, type PlaneDto } from '../changes/plane'
import { poolTroubles } from '../changes/pool-trouble'
import { pausedByOthers } from '../changes/their-pause'
import type { Unapproved } from '@/lib/domain/latch/unapproved'
import { configEdited, type ConfigEdited } from '../changes/config-edited'
import { continuedOfChange, type Continued } from '../changes/continued'
import { heldPlanes } from '../changes/held-plane'
import type { Blocking } from '../changes/held-scaling'
import { beganUnheld, movingUnapproved, wasLetGo } from '../changes/let-go-outside'
import { formOf } from '../latch/held-by'
import { may, requirePermission, type Ctx } from '../context'
import { trackRecord, type TrackRecord } from '../forecast/record-of'
import { OPEN } from '../changes/states'
import { remediationOf, type RemediationView } from '../remediation/view'
import { upgradeOf, type ClusterUpgrade } from '../upgrades/cluster-upgrade'
import { isForbidden } from '@/lib/domain/policies'
import { changeHulls, isAble, isReplacedAnyway, PAGE_CELLS, ROW_CELLS, withSpares } from '../groups/change-hulls'

export interface UpdatesPage extends ChangePage {
  hulls: Record<string, HullData>
  /** Of those that are held, since when. */
  held: Record<string, string | null>
  /** Of those whose group, or Cluster, somebody paused themselves: which. */
  paused: Record<string, TheirPause>
  /** Those that move because somebody took their hold away outside Drydock. */
  unapproved: Record<string, Unapproved>
  /** Of what only the gate holds, or held: names of the machines that were made of it before anybody let it go. */
  madeUnasked: Record<string, string[]>
  /** Those that nobody is asked about, and nobody decides on. */
  unaskable: string[]
  /** Those that were let go in place, and held again because nobody would be asked any more. */
  unasked: Record<string, WhyUnasked>
  /** Of those that wait: what was edited beside what differs since they were approved. */
  edited: Record<string, ConfigEdited>
  /** Of those that get no new machines, or are stuck, because of their control plane: its change, which is held. */
  planes: Record<string, Blocking>
  /** Those of pools that wait for nothing but nodes to be available again. */
  awaited: Record<string, Awaited>
  /** How those that are superseded came to their end. */
  ended: Record<string, Ended>
  may: { plan: boolean; approve: boolean; reject: boolean }
  /** Of those that wait, or were rejected: how many of the approvals that their policies ask for are there. */
  standings: Record<string, ListedStanding>
  /** Of the tab of what is done: how right was what Drydock foretold. */
  track: TrackRecord | null
}

/** One tab of the page Updates with the hull of every row. Scope comes by name, as it stands in the URL. */
export async function listUpdates(ctx: Ctx, input: Record<string, string | undefined>): Promise<UpdatesPage> {
  requirePermission(ctx, 'fleet:read')
  const { cluster, workload, tab, q, cursor } = input
  const { role } = ctx.actor
  const allowed = {
    plan: may(role, 'changes:plan'),
    approve: may(role, 'changes:approve'),
    reject: may(role, 'changes:reject'),
  }
  const known = cluster
    ? await db().managementCluster.findUnique({ where: { name: cluster }, select: { id: true } })
    : null
  if (cluster && !known)
    return {
      changes: [],
      cursor: null,
      counts: { waiting: 0, running: 0, done: 0 },
      hulls: {},
      held: {},
      ...{ paused: {}, unaskable: [] },
      ...{ unapproved: {}, madeUnasked: {}, unasked: {}, ended: {}, planes: {}, awaited: {}, edited: {} },
      standings: {},
      track: null,
      may: allowed,
    }
  const page = await listChanges(ctx, { tab, q, cursor, cluster: known?.id, workloadCluster: workload })
  const ids = page.changes.map((change) => change.id)
  const hulls = await changeHulls(ctx, ids, ROW_CELLS)
  const track = tab === 'done' ? await trackRecord(known ? { clusterId: known.id } : {}) : null
  const [standings, held, paused, unasked, unapproved, ended, planes, awaited, nobody, edited, made] =
    await Promise.all([
      listed(page.changes),
      heldSince(ids),
      pausedByOthers(ids),
      unaskedSince(ids),
      movingUnapproved(db(), ids),
      endedOf(page.changes),
      heldPlanes(page.changes),
      awaitedNodes(ids),
      nobodyDecidesAmong(db(), page.changes),
      configEdited(ids),
      madeUnasked(ids),
    ])
  for (const change of page.changes) {
    const hull = hulls[change.id]
    if (hull)
      hulls[change.id] =
        ended[change.id] === 'disconnected' ? asLeft(hull) : withSpares(hull, change, standings[change.id])
  }
  return {
    ...{ ...page, hulls, track, may: allowed, standings, held, unasked, ended, planes, awaited, edited },
    ...{ paused: Object.fromEntries(paused), unaskable: [...nobody] },
    ...{ unapproved: Object.fromEntries(unapproved), madeUnasked: Object.fromEntries(made) },
  }
}

async function listed(changes: ChangePage['changes']): Promise<UpdatesPage['standings']> {
  const waiting = changes.filter(({ state }) => state === 'waiting' || state === 'rejected')
  const standings = await standingsWhereKnown(waiting)
  return Object.fromEntries(
    waiting.flatMap((change) => {
      const standing = standings.get(change.id)
      return standing ? [[change.id, listedStanding(standing, change)]] : []
    }),
  )
}

export interface UpdateDetail extends ChangeDetail {
  hull: HullData
  /** How right what was foretold of this group was so far. */
  track: TrackRecord | null
  /** On record: its hold was taken away outside Drydock, also before its cluster was disconnected and connected again. */
  letGoOutside: boolean
  /** The last decision that let it go before its cluster was disconnected and connected again; null: it continues none. */
  letGoBefore: Continued['letGoBy']
  /** What it goes on with, of before its cluster was disconnected; null: it is new. */
  continues: Continued['from'] | null
  /** Who disconnected its cluster, although it moved by that and no approval of it stood; null: nobody. */
  movedBy: string | null
  /** On record: it had begun, and nothing had held it, when it was first seen. */
  beganUnheld: boolean
  /** It moves, and nobody approved it: why; null: somebody did, or it does not move. */
  unapproved: Unapproved | null
  /** The hold that stands on the group now, in its own words; null: none of Drydock's, or beside somebody's own pause. */
  heldWords: string | null
  /** What waits of its control plane keeps it from getting the new machines that it needs, though it was let go; null: nothing. */
  blockedBy: Blocking | null
  /** It was let go in place, and is held again because nobody would be asked any more; null: it is not. */
  unasked: WhyUnasked | null
  /** It waits, and what was edited beside what differs since it was approved; null: nothing. */
  edited: ConfigEdited | null
  /** What had begun when Drydock saw and paused it; null: it was held in the write that brought it, or by something else. */
  late: LateHold | null
  /** Of a pool: nodes that are on record as begun although no approval of it was in force. */
  begunUnapproved: string[]
  /** Of what only the gate holds, or held: names of the machines that were made of it before anybody let it go. */
  madeUnasked: string[]
  /** What began, and was not let go, had been approved by then; null: none of it. */
  approvedThen: ApprovedThen
  /** Of a pool that is degraded by more than its nodes, of which the change speaks itself; null: it is not. */
  degraded: string | null
  /** Of a pool that Drydock holds: why it could not let it go; null: it could. */
  cannotWrite: string | null
  /** Of a pool: it waits for nothing but these nodes to be available again; null: not so. */
  awaited: Awaited | null
  /** What is to be held is not held before this is over; null: its cluster is heard, or the change is over. */
  unheard: Unheard | null
  /** Drydock is the latch here, and could not pause the group: why, in the API server's words. */
  unpaused: string | null
  /** Since when it stands still, and what does not happen meanwhile; null: Drydock does not hold it now. */
  held: HeldFor | null
  /** It stopped by itself, and gone on with, it would stand still for these; null: not so. */
  noRoom: NoRoom | null
  /** How a control plane stands, while its change is not over; null: it is none. */
  plane: PlaneDto | null
  /** Where its group is, as far as Drydock knows. */
  place: GroupPlace
  /** On record: it was held when its cluster was disconnected, and nobody can let it go from here. */
  stillHeld: boolean
  /** What holds it and how decisions are made there. */
  governance: {
    /** Whether the group itself is among them. */
    governed: boolean
    governs: string
    labelKey: string | null
    reasonNeeded: boolean
    breakGlass: string
    latchForm: string
    gateState: string
  } | null
  /** The upgrade of a managed Cluster that it is a part of; null: of none. */
  upgrade: ClusterUpgrade | null
  /** What MachineHealthChecks may do to machines that are updated in place; null: it is over, or goes otherwise. */
  remediation: RemediationView | null
  /** What policies ask of it. */
  policy: ChangePolicy | PolicyProblem
  may: { approve: boolean; reject: boolean; plan: boolean; override: boolean }
}

/** Where policies would have it replaced, no machine is said to be updated where it stands; where they allow neither, none moves. */
function machinesBy(change: ChangeDetail, asked: ChangePolicy | PolicyProblem): ChangeDetail['machinesList'] {
  if (!('listed' in asked)) return change.machinesList
  const { way, forbidden } = asked.listed
  if (forbidden && isForbidden(change, asked.listed))
    return change.machinesList.map((machine) =>
      isAble(machine.verdict) || machine.verdict === 'replace'
        ? { ...machine, verdict: 'blocked', verdictReason: forbidden }
        : machine,
    )
  if (!isReplacedAnyway(change, way)) return change.machinesList
  const verdictReason = asked.ways['in-place'].forbidden ?? 'It is approved replacing.'
  return change.machinesList.map((machine) =>
    isAble(machine.verdict) ? { ...machine, verdict: 'replace', verdictReason } : machine,
  )
}

/** One change with its hull, who decides, and what this person may do. */
export async function getUpdate(ctx: Ctx, id: string): Promise<UpdateDetail> {
  requirePermission(ctx, 'fleet:read')
  const change = await getChange(ctx, { id })
  const [
    unapproved,
    hulls,
    letGoOutside,
    cluster,
    group,
    track,
    asked,
    plane,
    remediation,
    upgrade,
    unasked,
    continued,
    unheld,
    awaited,
    planes,
    edited,
    troubles,
  ] = await Promise.all([
    movingUnapproved(db(), [id]),
    changeHulls(ctx, [id], PAGE_CELLS),
    wasLetGo(change),
    db().managementCluster.findUnique({ where: { id: change.clusterId }, include: { policy: true } }),
    db().group.findUnique({
      where: { id: change.groupId },
      select: { governed: true, held: true, watchTrouble: true },
    }),
    trackRecord({ groupId: change.groupId }),
    policyOfChange(ctx, change),
    OPEN.includes(change.state) ? planeOf(db(), change) : null,
    remediationOf(change),
    upgradeOf(change),
    unaskedSince([id]),
    continuedOfChange(db(), id),
    beganUnheld(change),
    awaitedNodes([id]),
    heldPlanes([change]),
    configEdited([id]),
    OVER.includes(change.state) ? null : poolTroubles([change]),
  ])
  const listed = 'listed' in asked ? asked.listed : null
  const held = await heldFor(change, 'rules' in asked ? asked.rules.scaleWhileHeld : null, {
    asks: asksForApproval(change, listed),
    ...{ waits: WAITING.includes(change.state), opens: listed?.timing.opens },
  })
  const policy = cluster?.policy
  const made = (await madeUnasked([id])).get(id) ?? []
  const hull = withMade(hulls[id] ?? { total: 0, cells: [], counts: [] }, made)
  const trouble = troubles?.get(change.groupId)
  const place = await placeOfGroup(change, group !== null)
  return {
    ...change,
    machinesList: machinesBy(change, asked),
    hull:
      change.ended === 'disconnected'
        ? asLeft(hull)
        : withSpares(hull, change, 'listed' in asked ? asked.listed : null),
    ...place,
    letGoOutside: letGoOutside || (continued?.taken ?? false),
    letGoBefore: continued?.letGoBy ?? null,
    continues: continued?.from ?? null,
    movedBy: continued?.letGoBy?.stood ? null : (continued?.movedBy ?? null),
    beganUnheld: unheld,
    unapproved: unapproved.get(id) ?? null,
    begunUnapproved: change.groupKind === POOL ? await nodesMovedUnapproved(id) : [],
    madeUnasked: made,
    approvedThen: await approvedWhenBegun(id),
    track,
    policy: asked,
    heldWords: group?.held ?? null,
    ...{ unasked: unasked[id] ?? null, blockedBy: planes[id] ?? null, edited: edited[id] ?? null },
    late: await lateHold(change, group?.held ?? null),
    ...{ unheard: await unheard(change), awaited: awaited[id] ?? null, noRoom: await noRoomFor(change) },
    degraded: trouble && !trouble.byNodes ? trouble.words : null,
    cannotWrite: cannotLetGo(change, cluster?.discovery),
    unpaused: OVER.includes(change.state) ? null : (group?.watchTrouble ?? null),
    held,
    plane,
    remediation,
    upgrade,
    governance: cluster && {
      governed: group?.governed ?? false,
      governs: policy?.governs ?? 'none',
      labelKey: policy?.labelKey ?? null,
      reasonNeeded: policy?.reasonNeeded ?? false,
      breakGlass: policy?.breakGlass ?? '',
      latchForm: formOf(change.groupKind, cluster),
      gateState: cluster.gateState,
    },
    may: {
      approve: may(ctx.actor.role, 'changes:approve'),
      reject: may(ctx.actor.role, 'changes:reject'),
      plan: may(ctx.actor.role, 'changes:plan'),
      override: may(ctx.actor.role, 'changes:override'),
    },
  }
}
