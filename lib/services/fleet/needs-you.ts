import { clustersOutsideSkew, failedMachines, type FleetScope } from '@/lib/db/queries/fleet'
import { changeHulls } from '@/lib/db/queries/hulls'
import { clusterLiveness } from '@/lib/db/queries/shell'
import { machinesOf } from '@/lib/domain/changes'
import { LEVELS } from '@/lib/domain/holds'
import { ageWords } from '@/lib/domain/holds/age'
import type { HullData } from '@/lib/domain/hull'
import { approvalsWords, tooEarlyWords, utc } from '@/lib/domain/policies'
import { heldSince, pausedByOthers } from '../changes/held-for'
import type { ChangeDto } from '../changes/change-row'
import { listedStanding } from '../changes/listed-standing'
import type { ChangeStanding } from '../changes/standing'
import type { TimingDto } from '../policies/timing'
import { may, type Ctx } from '../context'
import { ROW_CELLS, withSpares } from '../groups/change-hulls'
import { asking, heldChanges } from './asking'
import { unlatchedClusters } from './unlatched'

/** One thing that does not go on without a person, and the one thing to do about it. */
export interface Need {
  kind: 'approval' | 'stuck' | 'failed' | 'latch' | 'skew' | 'watch'
  id: string
  /** "payments-prod / workers-a" */
  where: string
  sentence: string
  detail: string
  action: { label: string; href: string }
  hull: HullData | null
  held: boolean
  since: string | null
}

/** What needs this person, the most pressing first. */
export async function needsYou(ctx: Ctx, scope: FleetScope): Promise<Need[]> {
  const decides = may(ctx.actor.role, 'changes:approve')
  const [watches, stuck, failed, skew, undecided, due, rejected, underWay] = await Promise.all([
    clusterLiveness(),
    heldChanges(scope, STUCK),
    failedMachines(scope),
    clustersOutsideSkew(scope),
    // What is held for too long is put before everybody.
    asking(scope, { state: 'waiting', dueMode: null, ...(decides ? {} : TOO_LONG) }),
    asking(scope, { state: 'waiting', dueMode: { not: null }, ...(decides ? {} : TOO_LONG) }),
    heldChanges(scope, { state: 'rejected', ...(decides ? { holdLevel: { gt: 0 } } : TOO_LONG) }),
    // Of those that were let go, what somebody paused themselves.
    heldChanges(scope, { state: { in: ['approved', 'running'] }, ...(decides ? { holdLevel: { gt: 0 } } : TOO_LONG) }),
  ])
  const troubled = watches.filter((c) => c.trouble && (!scope.cluster || scope.cluster === c.name))
  const unlatched = await unlatchedClusters(scope, new Set(troubled.map((c) => c.id)))
  const standings = new Map([...undecided.standings, ...due.standings])
  const waiting = [...undecided.changes, ...due.changes, ...rejected, ...underWay].sort(
    (a, b) => pressing(b) - pressing(a),
  )
  const [hulls, held, paused] = await Promise.all([
    changeHulls(
      [...stuck, ...waiting].map((c) => c.id),
      ROW_CELLS,
    ),
    heldSince(waiting.map(({ id }) => id)),
    pausedByOthers([...stuck, ...waiting].map(({ id }) => id)),
  ])
  const hullOf = (c: ChangeDto): HullData | null => {
    const hull = hulls.get(c.id)
    const standing = standings.get(c.id)
    return hull ? withSpares(hull, c, standing ? listedStanding(standing, c) : null) : null
  }
  const ask = (c: ChangeDto): Need => ({
    ...{ kind: 'approval', id: c.id, where: whereIs(c), hull: hullOf(c), held: true },
    since: held[c.id] ?? c.detectedAt,
    sentence: asked(ctx, c, { standing: standings.get(c.id), since: held[c.id], byOthers: paused.has(c.id) }),
    detail: `${c.summary}, ${machinesWords(c, standings.get(c.id))}`,
    action: { label: 'Review', href: `/updates/${c.id}` },
  })
  return [
    ...troubled.map((c): Need => ({
      ...{ kind: 'watch', id: c.id, where: c.name, hull: null, held: false, since: c.lastHeardAt },
      sentence: `What is shown of it may be old: ${c.trouble}.`,
      detail: 'What is held stays held.',
      action: { label: 'See the connection', href: `/clusters/${c.id}` },
    })),
    ...stuck.map((c): Need => ({
      ...{ kind: 'stuck', id: c.id, where: whereIs(c), hull: hullOf(c), held: false, since: c.startedAt },
      sentence: c.stopped
        ? `It is to stop, and is not held yet: ${c.stopped.why}`
        : `Stuck: ${paused.has(c.id) ? OWN_PAUSE : (c.stuckReason ?? 'no machine has moved for a while')}`,
      detail: c.summary,
      action: { label: c.stopped ? 'Review' : 'See what is stuck', href: `/updates/${c.id}` },
    })),
    ...waiting.filter((c) => pressing(c) >= 2).map(ask),
    ...failed.map((f): Need => ({
      ...{ kind: 'failed', id: f.id, where: `${f.cluster} / ${f.workload}`, hull: null, held: false, since: null },
      sentence: f.n === 1 ? `${f.name} has failed` : `${f.n} machines have failed`,
      detail: (f.n === 1 && f.sentence) || (f.error ?? ''),
      action:
        f.n === 1
          ? { label: 'See the machine', href: `/machines?machine=${f.id}` }
          : {
              label: 'See the machines',
              href: `/machines?${new URLSearchParams({ q: `state:failed cluster:${f.workload}` })}`,
            },
    })),
    ...unlatched.map((c): Need => ({
      ...{ kind: 'latch', id: c.id, where: c.name, hull: null, held: false, since: c.since },
      sentence: c.sentence,
      detail: c.detail,
      action: { label: 'See the latch', href: `/clusters/${c.id}` },
    })),
    ...skew.map((s): Need => ({
      ...{ kind: 'skew', id: s.clusterId, where: s.cluster, hull: null, held: true, since: null },
      sentence: s.sentence,
      detail: s.blocks ?? '',
      action: { label: 'See boot images', href: `/boot-images?cluster=${encodeURIComponent(s.cluster)}` },
    })),
    ...waiting.filter((c) => pressing(c) < 2).map(ask),
  ]
}

/** As many as its page speaks of: scaled while it is held, they are others than when it was written. */
function machinesWords(c: ChangeDto, standing: ChangeStanding | undefined): string {
  const { inPlace, replace, unknown } = c.outlook
  const way = standing && listedStanding(standing, c).way
  const n = machinesOf(way === 'replace' ? replace : (unknown ?? inPlace ?? replace)) || c.machines
  return `${n} ${n === 1 ? 'machine' : 'machines'}`
}

const TOO_LONG = { holdLevel: { gt: 1 } }
const pressing = ({ holdLevel }: ChangeDto): number => LEVELS.indexOf(holdLevel)

/** What it waits for; of one that is held for long, that first. */
function asked(
  ctx: Ctx,
  c: ChangeDto,
  {
    standing,
    since,
    byOthers,
  }: { standing: ChangeStanding | undefined; since: string | null | undefined; byOthers: boolean },
): string {
  const words = byOthers ? pausedWords(ctx, c, standing) : askedWords(ctx, c, standing)
  if (c.holdLevel === 'fresh' || !since) return words
  const age = ageWords(Date.now() - Date.parse(since))
  return c.holdLevel === 'dangerous'
    ? `This control plane has stood still for ${age}, which is dangerous. ${words}`
    : `It has ${c.heldBy === 'hook' ? 'waited' : 'stood still'} for ${age}. ${words}`
}

/** Somebody's own pause, and what it waits for besides. */
function pausedWords(ctx: Ctx, c: ChangeDto, standing: ChangeStanding | undefined): string {
  const own = `${OWN_PAUSE[0]!.toUpperCase()}${OWN_PAUSE.slice(1)}`
  return c.heldBy === 'latch' && c.state === 'waiting'
    ? `${askedWords(ctx, c, standing).replace(/\.$/, '')}. ${own}`
    : own
}
const OWN_PAUSE = 'somebody paused the group themselves, and has to take that away'

function askedWords(ctx: Ctx, c: ChangeDto, standing: ChangeStanding | undefined): string {
  if (c.state === 'rejected') return 'Rejected, and still held: change the group back, or decide anew'
  if (c.decision?.state === 'failed') return 'The approval was refused by the cluster'
  if (c.stopped) return `It stopped by itself: ${c.stopped.why}`
  return c.outlook.blocked ?? waitsFor(ctx, c, standing)
}

/** What this person is to a change that waits, as its policy has it. */
function waitsFor({ actor }: Ctx, change: ChangeDto, standing: ChangeStanding | undefined): string {
  const waits = may(actor.role, 'changes:approve') ? 'Waiting for your approval' : 'Waiting for approval'
  if (!standing) return waits
  const listed = listedStanding(standing, change)
  const { given, otherwise, needed, forbidden, due, goes, timing, early } = listed
  if (forbidden) return forbidden
  if (due && change.paused) return `Paused by ${change.paused.by}`
  if (due && change.step)
    return `${change.step.done} of ${change.step.of} machines done, as approved: the next one waits for somebody`
  if ((due || goes) && timing.shape) return `${due ? 'Approved' : 'Nobody is asked'}, but ${timing.shape.words}`
  if (due && early) return tooEarlyWords(early, true).replace(/\.$/, '')
  const said = due ? 'Approved' : 'Nobody is asked'
  if ((due || goes) && timing.why === 'wave' && timing.wave?.place) return waveSentence(said, timing.wave.place)
  if (due || goes) return `${said}, and nothing says when it may move`
  if (given >= needed) return 'Enough approvals by the policies of now: approve it to let it go'
  const soFar = given + otherwise > 0 ? `: ${approvalsWords(listed)} so far` : ''
  if (standing.rules.notTheAuthor.value && standing.author.isBy(actor.id)) return `Yours, for others to approve${soFar}`
  if (standing.counting.has(actor.id)) return `Approved by you, waiting for others${soFar}`
  // Whoever approves it before that does so for nothing.
  const from = early?.from && Date.parse(early.from) > Date.now() ? `, after ${utc(early.from)}` : ''
  return `${waits}${from}${soFar}`
}

const waveSentence = (
  said: string,
  { name, asksPerson, why }: NonNullable<NonNullable<TimingDto['wave']>['place']>,
): string => (asksPerson ? `${said}: its wave ${name} begins when somebody says so` : `${said}, and ${why}`)

const whereIs = (c: ChangeDto) => `${c.workloadCluster} / ${c.groupName}`

/** Also what stopped by itself, and whose hold is not there yet, or cannot be put. */
const STUCK = {
  OR: [
    { state: 'stuck' as const },
    { state: { in: ['approved' as const, 'running' as const] }, stoppedAt: { not: null } },
  ],
}
