import { skewReviews, type ReviewRow } from '@/lib/db/queries/boot-images'
import {
  clustersOutsideSkew,
  failedMachines,
  failingPasses,
  hangingMachines,
  unheardImages,
  type FleetScope,
} from '@/lib/db/queries/fleet'
import { changeHulls } from '@/lib/db/queries/hulls'
import { poolReviews } from '@/lib/db/queries/pool-review'
import { poolsInNeed } from '@/lib/db/queries/pools-in-need'
import { clusterLiveness } from '@/lib/db/queries/shell'
import { waitingGates } from '@/lib/db/queries/upgradeable'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { LEVELS } from '@/lib/domain/holds'
import type { HullData } from '@/lib/domain/hull'
import { POOL } from '@/lib/domain/latch/hold'
import { isForbidden } from '@/lib/domain/policies'
import { heldSince, unaskedSince } from '../changes/held-for'
import { timesHeldAgain } from '../changes/held-again'
import { madeUnasked } from '../changes/made-unasked'
import { movingUnapproved } from '../changes/let-go-outside'
import type { ChangeDto } from '../changes/change-row'
import { listedStanding } from '../changes/listed-standing'
import type { ChangeStanding } from '../changes/standing'
import { UNDER_WAY } from '../changes/states'
import { keptByCluster, pausedByOthers } from '../changes/their-pause'
import { may, type Ctx } from '../context'
import { openChanges } from '../pools/open-change'
import { ROW_CELLS, withSpares } from '../groups/change-hulls'
import { diagnoses } from '../machines/joining'
import { asking, asksNobodyOf, heldChanges } from './asking'
import { failedWords } from './failed-words'
import { gateNeeds } from './gate-needs'
import { halfwayNeeds } from './halfway'
import { leftOut } from './left-out'
import { asked, hangingWords, machinesWords, movingWords, stuckWords } from './need-words'
import { passFailedNeed, skewNeed, unheardNeed } from './pass-failed-need'
import { besidesAsked, poolNeed, poolReviewNeed } from './pool-need'
import { REMEDIATED, remediationNeed } from './remediation-need'
import { rotationWords } from './rotation-words'
import { unlatchedClusters } from './unlatched'
import { watchNeeds } from './watch-needs'

/** One thing that does not go on without a person, and the one thing to do about it. */
export interface Need {
  kind:
    | 'approval'
    | 'blocked'
    | 'paused'
    | 'unapproved'
    | 'remediated'
    | 'stuck'
    | 'hangs'
    | 'stopped'
    | 'failed'
    | 'latch'
    | 'latch-refuses'
    | 'latch-unknown'
    | 'gate-gone'
    | 'gate-left'
    | 'halfway'
    | 'skew'
    | 'pass-failed'
    | 'skew-unheard'
    | 'skew-review'
    | 'pool'
    | 'pool-review'
    | 'gate'
    | 'watch'
    /** Others of what is listed, which the page that it leads to has. */
    | 'more'
  id: string
  /** "atlas / payments-prod / workers-a" */
  where: string
  sentence: string
  detail: string
  action: { label: string; href: string }
  hull: HullData | null
  held: boolean
  since: string | null
  /** It is dangerous by itself, and not only in need of somebody. */
  dangerous?: true
}

/** What needs this person, the most pressing first. */
export async function needsYou(ctx: Ctx, scope: FleetScope): Promise<Need[]> {
  const decides = may(ctx.actor.role, 'changes:approve')
  const { first, mayBeMore, more } = leftOut(scope)
  const running = (which: Prisma.ChangeWhereInput) => first(heldChanges(scope, which), 'running')
  const asks = async (which: Prisma.ChangeWhereInput) => {
    const found = await asking(scope, which)
    if (found.unseen) mayBeMore('updates')
    return { ...found, changes: await first(found.changes, 'updates') }
  }
  const [moving, kept, made] = await Promise.all([
    movingUnapproved(db()),
    decides ? keptByCluster(scope.cluster) : [],
    madeUnasked(),
  ])
  // What is held for too long, or moved unapproved, is put before everybody.
  const forAll = decides ? {} : { OR: [TOO_LONG, { id: { in: [...made.keys()] } }] }
  const [
    unapproved,
    watches,
    stuck,
    hanging,
    failed,
    skew,
    failing,
    unheard,
    reviews,
    pools,
    paused,
    gates,
    stopped,
    undecided,
    due,
    rejected,
    underWay,
    remediated,
  ] = await Promise.all([
    moving.size > 0 ? running({ id: { in: [...moving.keys()] } }) : [],
    clusterLiveness(),
    running({ ...STUCK, id: { notIn: [...moving.keys()] } }),
    first(hangingMachines(scope), 'machines'),
    first(failedMachines(scope), 'machines'),
    first(clustersOutsideSkew(scope), 'boot-images'),
    first(failingPasses(scope), 'boot-images'),
    first(unheardImages(scope), 'boot-images'),
    may(ctx.actor.role, 'skew:act') ? first(skewReviews(scope), 'boot-images') : [],
    first(poolsInNeed(scope), 'pools'),
    may(ctx.actor.role, 'pools:act') ? first(poolReviews(scope), 'pools') : [],
    first(waitingGates(scope.cluster), 'upgradeable'),
    asks({
      OR: [{ state: 'waiting' }, { state: { in: UNDER_WAY }, settling: true }],
      stoppedAt: { not: null },
    }),
    asks({ ...GOES, dueMode: null, ...forAll }),
    asks({ ...GOES, dueMode: { not: null }, ...forAll }),
    first(
      heldChanges(scope, {
        state: 'rejected',
        ...(decides ? { OR: [{ holdLevel: { gt: 0 } }, { outlook: OUT_OF_SERVICE }] } : TOO_LONG),
      }),
      'updates',
    ),
    // Of those that were let go, what somebody paused themselves.
    running({
      state: { in: ['approved', 'running'] },
      ...(decides
        ? { OR: [{ holdLevel: { gt: 0 } }, { id: { in: kept.filter((id) => !moving.has(id)) } }] }
        : TOO_LONG),
    }),
    running({ ...REMEDIATED, stoppedAt: null, id: { notIn: [...moving.keys()] } }),
  ])
  const troubled = watches.filter((c) => c.trouble && (!scope.cluster || scope.cluster === c.name))
  const [unlatched, ungated, halfway] = await Promise.all([
    unlatchedClusters(scope, troubled),
    gateNeeds(scope),
    may(ctx.actor.role, 'skew:act') ? first(halfwayNeeds(scope), 'boot-images') : [],
  ])
  const standings = new Map([...stopped.standings, ...undecided.standings, ...due.standings])
  const waiting = [...stopped.changes, ...undecided.changes, ...due.changes, ...rejected, ...underWay].sort(
    (a, b) => pressing(b) - pressing(a),
  )
  const open = await openChanges(pools)
  const poolsKept = await pausedByOthers([...open.values()].map(({ id }) => id))
  // Each of them says itself on which node.
  const moves = [...unapproved.filter(({ state }) => state === 'stuck'), ...stuck.filter(({ stopped }) => !stopped)]
  const onNodes = [...moves, ...waiting].filter(({ stuckReason }) => stuckReason)
  const besides = besidesAsked(pools, waiting, onNodes, open, poolsKept)
  const dangerous = waiting.filter(isDangerous)
  const slipped = waiting.filter((c) => made.has(c.id) && !isDangerous(c))
  const overdue = waiting.filter((c) => pressing(c) >= 2 && !isDangerous(c) && !made.has(c.id))
  const others = waiting.filter((c) => pressing(c) < 2 && !made.has(c.id))
  const [joining, hulls, held, byOthers, unasked, taken, expiries] = await Promise.all([
    diagnoses(failed.flatMap((f) => f.joining)),
    changeHulls(
      [...unapproved, ...remediated, ...stuck, ...waiting].map((c) => c.id),
      ROW_CELLS,
    ),
    heldSince(waiting.map(({ id }) => id)),
    pausedByOthers([...unapproved, ...stuck, ...waiting].map(({ id }) => id)),
    unaskedSince(waiting.map(({ id }) => id)),
    timesHeldAgain(
      db(),
      waiting.map(({ id }) => id),
    ),
    certExpiries(waiting),
  ])
  const hullOf = (c: ChangeDto): HullData | null => {
    const hull = hulls.get(c.id)
    const standing = standings.get(c.id)
    return hull ? withSpares(hull, c, standing ? listedStanding(standing, c) : null) : null
  }
  const ask = (c: ChangeDto, kind = kindOf(c, standings.get(c.id), byOthers.has(c.id))): Need => ({
    ...{
      kind,
      id: c.id,
      where: whereIs(c),
      hull: hullOf(c),
      held: true,
    },
    since: (hasStopped(c) && c.stopped?.at) || (held[c.id] ?? c.detectedAt),
    ...(isDangerous(c) ? { dangerous: true } : {}),
    sentence: asked(ctx, c, {
      ...{ standing: standings.get(c.id), since: held[c.id], byOthers: byOthers.get(c.id) ?? null },
      ...{ unasked: unasked[c.id] ?? null, made: made.get(c.id)?.length ?? 0 },
      ...{ taken: taken.get(c.id) ?? 0, certExpiry: expiries.get(c.groupId) ?? null },
    }),
    detail: detailOf(c, standings.get(c.id), decides, expiries.get(c.groupId) ?? null),
    action: { label: (c.stopped?.policy === '' ? null : LABELS[kind]) ?? 'Review', href: `/updates/${c.id}` },
  })
  return [
    ...unlatched.filter(({ certain }) => certain).map(({ need }) => need),
    ...watchNeeds(troubled, watches),
    ...ungated,
    ...unapproved.map((c): Need => ({
      ...{ kind: 'unapproved', id: c.id, where: whereIs(c), hull: hullOf(c), held: false, since: c.startedAt },
      sentence: movingWords(c, moving.get(c.id)!, byOthers.get(c.id) ?? null),
      detail: c.summary,
      action: { label: c.paused ? 'Review' : 'Review, or pause it', href: `/updates/${c.id}` },
    })),
    ...slipped.map((c) => ask(c, 'unapproved')),
    ...dangerous.map((c) => ask(c)),
    ...remediated.map((c) => remediationNeed(ctx, c, whereIs(c), hullOf(c))),
    ...stuck.map((c): Need => ({
      ...{ kind: 'stuck', id: c.id, where: whereIs(c), hull: hullOf(c), held: false, since: c.startedAt },
      sentence: c.stopped
        ? `It is to stop, and is not held yet: ${c.stopped.why}`
        : stuckWords(c, byOthers.get(c.id) ?? null),
      detail: c.summary,
      action: { label: c.stopped ? 'Review' : 'See what is stuck', href: `/updates/${c.id}` },
    })),
    ...hanging.map((h): Need => ({
      ...{
        kind: h.begun ? 'stuck' : 'hangs',
        id: h.id,
        where: `${h.cluster} / ${h.workload} / ${h.group}`,
        hull: null,
      },
      ...{ held: h.held, since: null },
      ...hangingWords(h),
      action: seeMachines(h, `error:yes group:${h.group} cluster:${h.workload}`),
    })),
    ...overdue.map((c) => ask(c)),
    ...others.filter(hasStopped).map((c) => ask(c)),
    ...failed.map((f): Need => ({
      ...{ kind: 'failed', id: f.id, where: `${f.cluster} / ${f.workload}`, hull: null, held: false, since: null },
      ...failedWords(f, joining),
      action: seeMachines(f, `state:failed cluster:${f.workload}`),
    })),
    ...halfway,
    ...besides.map((p) => {
      const change = open.get(p.id)
      return poolNeed(p, change, change && poolsKept.get(change.id))
    }),
    // One that needs somebody all the same is not said twice.
    ...paused.filter(({ id }) => !besides.some((p) => p.id === id)).map(poolReviewNeed),
    ...unlatched.filter(({ certain }) => !certain).map(({ need }) => need),
    ...skew.map(skewNeed),
    ...failing.map(passFailedNeed),
    ...unheard.map(unheardNeed),
    ...reviews.map(review),
    ...gates.map((g): Need => ({
      ...{ kind: 'gate', id: g.clusterId, where: g.cluster, hull: null, held: true, since: g.since.toISOString() },
      sentence: g.gates === 1 ? 'A gate waits for an administrator.' : `${g.gates} gates wait for an administrator.`,
      detail: `${g.name}${g.gates > 1 ? ' and others' : ''}: until then no update goes to another minor version.`,
      action: { label: 'Read it', href: `/upgradeable?cluster=${encodeURIComponent(g.cluster)}` },
    })),
    ...others.filter((c) => !hasStopped(c)).map((c) => ask(c)),
    ...more(),
  ]
}

/** Where the sentence does not say already that it is dangerous, also what the end of its certificates brings. */
function detailOf(c: ChangeDto, standing: ChangeStanding | undefined, decides: boolean, expiry: Date | null): string {
  const then = hasStopped(c) ? afterStop(c)[decides ? 'mine' : 'others'] : ''
  const rotation = isDangerous(c) ? '' : rotationWords(expiry)
  return `${c.summary}, ${machinesWords(c, standing)}${then}${rotation && `. ${rotation}`}`
}

/** When the first certificate expires that the nodes of paused pools trust, by their ids. */
async function certExpiries(changes: readonly ChangeDto[]): Promise<Map<string, Date | null>> {
  const ids = changes.flatMap(({ groupKind, groupId }) => (groupKind === POOL ? [groupId] : []))
  if (ids.length === 0) return new Map()
  const rows = await db().configPool.findMany({
    where: { id: { in: ids }, paused: true },
    select: { id: true, certExpiry: true },
  })
  return new Map(rows.map(({ id, certExpiry }) => [id, certExpiry]))
}

/** What somebody said of boot images, and is to be looked at again. */
function review(r: ReviewRow): Need {
  const said =
    r.action === 'opt-out' ? 'Opting out of boot image skew' : `Boot image ${r.version ?? ''} was acknowledged`
  const by = r.actorName ? ` by ${r.actorName}` : ''
  return {
    ...{ kind: 'skew-review', id: r.clusterId, where: r.cluster, hull: null, held: false },
    // Since when the evidence speaks against it is not kept; its date may lie ahead.
    since: r.flaggedWhy ? null : (r.reviewAt?.toISOString() ?? null),
    sentence: r.flaggedWhy
      ? `The evidence speaks against what was acknowledged: ${r.flaggedWhy}`
      : r.action === 'opt-out'
        ? `${said}, decided${by}, is due for review.`
        : `${said}${by}, and that is due for review.`,
    detail: '',
    action: { label: 'See boot images', href: `/boot-images/${r.clusterId}` },
  }
}

const LABELS: Partial<Record<Need['kind'], string>> = { stopped: 'See what failed', blocked: 'See why' }

/** A machine that was chosen as it was held: nothing but a decision brings it back. */
const OUT_OF_SERVICE = { path: ['before', 'outOfService'], gt: 0 }
const GOES = { state: 'waiting', stoppedAt: null }
/** By itself, and held by now. */
const hasStopped = ({ state, stopped, settling }: ChangeDto): boolean =>
  (state === 'waiting' || settling) && stopped !== null
/** What was let go, or is approved, and somebody's pause keeps: nobody has to approve it. */
function kindOf(c: ChangeDto, standing: ChangeStanding | undefined, byOthers: boolean): Need['kind'] {
  if (hasStopped(c)) return 'stopped'
  const listed = standing && listedStanding(standing, c)
  // Nobody can approve it as it is.
  if (c.state === 'waiting' && (c.outlook.blocked || isForbidden(c, listed))) return 'blocked'
  if (asksNobodyOf(c, standing)) return 'paused'
  const due = c.state === 'waiting' && listed?.due === true
  return UNDER_WAY.includes(c.state) || (due && (c.paused !== null || byOthers)) ? 'paused' : 'approval'
}
const AFTER_STOP = {
  mine: ': let it go on, reject it, or roll it back',
  others: ': somebody with the role approver lets it go on, or it is rejected or rolled back',
}

/** Drydock can write none of it as it was (components/updates/back-words.ts). */
const NO_WAY_BACK = {
  mine: ': let it go on, or reject it',
  others: ': somebody with the role approver lets it go on, or it is rejected',
}

const afterStop = ({ settling, groupKind, byRule }: ChangeDto) =>
  settling ? AT_END : byRule || groupKind !== 'MachineDeployment' ? NO_WAY_BACK : AFTER_STOP

/** Every machine has it: nothing is left to reject. */
const AT_END = {
  mine: ': count it as done, or write what its group is to be instead',
  others: ': somebody with the role approver counts it as done, or somebody writes what its group is to be instead',
}

const TOO_LONG = { holdLevel: { gt: 1 } }
const isDangerous = ({ holdLevel }: ChangeDto): boolean => holdLevel === 'dangerous'
const pressing = ({ holdLevel }: ChangeDto): number => LEVELS.indexOf(holdLevel)

const seeMachines = ({ n, id }: { n: number; id: string }, q: string): Need['action'] =>
  n === 1
    ? { label: 'See the machine', href: `/machines?machine=${id}` }
    : { label: 'See the machines', href: `/machines?${new URLSearchParams({ q })}` }

const whereIs = (c: ChangeDto) => `${c.clusterName} / ${c.workloadCluster} / ${c.groupName}`

/** Also what stopped by itself, and whose hold is not there yet, or cannot be put. */
const STUCK = {
  OR: [
    { state: 'stuck' as const, OR: [{ settling: false }, { stoppedAt: null }] },
    { state: { in: ['approved' as const, 'running' as const] }, settling: false, stoppedAt: { not: null } },
  ],
}
