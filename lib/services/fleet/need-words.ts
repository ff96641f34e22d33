import { expiryWords } from './rotation-words'
import type { HangingRow } from '@/lib/db/queries/fleet'
import { isRefused } from '@/lib/domain/changes/refused-decision'
import { capital } from '@/lib/domain/text'
import { begunOf } from '@/lib/domain/changes/begun-of'
import { asksNobody } from '@/lib/domain/changes/asks-nobody'
import { agedWords, ageWords, orLonger } from '@/lib/domain/holds/age'
import { UNASKED_SHORT, type WhyUnasked } from '@/lib/domain/latch/unasked'
import { madeUnaskedWords } from '@/lib/domain/latch/gate-alone'
import { POOL } from '@/lib/domain/latch/hold'
import { UNAPPROVED_AND, UNAPPROVED_WHY, type Unapproved } from '@/lib/domain/latch/unapproved'
import { approvalsWords, goesWords, opensAt, tooEarlyWords, tooFewWords, utc } from '@/lib/domain/policies'
import { hasToWords, stuckBeside, type TheirPause } from '@/lib/domain/their-pause'
import type { ChangeDto } from '../changes/change-row'
import { listedStanding } from '../changes/listed-standing'
import { machinesNow } from '../changes/machines-now'
import type { ChangeStanding } from '../changes/standing'
import { may, type Ctx } from '../context'
import type { TimingDto } from '../policies/timing'

export function machinesWords(c: ChangeDto, standing: ChangeStanding | undefined): string {
  const n = machinesNow(c, standing) || c.machines
  return `${n} ${n === 1 ? 'machine' : 'machines'}`
}

/** Of what moves, or would but for somebody's own pause, and nobody approved it. */
export function movingWords(c: ChangeDto, why: Unapproved, pause: TheirPause | null): string {
  const rejected = c.decision?.mode === 'reject' ? `, after ${c.decision.actorName} had rejected it` : ''
  const stuck = c.state === 'stuck' ? `. Stuck: ${c.stuckReason ?? 'no machine has moved for a while'}` : ''
  const kept = pause ? `. ${capital(hasToWords(pause, c.groupKind))}` : ''
  return `It is under way, and ${UNAPPROVED_AND[why]}: ${UNAPPROVED_WHY[why]}${rejected}${stuck}${kept}`
}

/** What it is stuck on: somebody's own pause, where that may be why, and besides where it cannot. */
export function stuckWords(
  c: Pick<ChangeDto, 'groupKind' | 'state' | 'stuckReason'>,
  pause: TheirPause | null,
): string {
  if (pause && !stuckBeside(c)) return `Stuck: ${hasToWords(pause, c.groupKind)}`
  const why = c.stuckReason ?? 'no machine has moved for a while'
  return pause ? `Stuck: ${why.replace(/\.?$/, '.')} ${capital(hasToWords(pause, c.groupKind))}` : `Stuck: ${why}`
}

/** Machines that hang in their update; or in a deletion that no update asked for. */
export function hangingWords({
  n,
  name,
  error,
  held,
  begun,
}: Omit<HangingRow, 'cluster' | 'workload' | 'group' | 'id'>): {
  sentence: string
  detail: string
} {
  const why = `${error.replace(/\.$/, '')}.`
  const them = n === 1 ? name : `${n} machines, ${name} among them`
  if (begun)
    return {
      sentence: `Stuck: ${them}: ${why}`,
      detail: held ? 'Its group is held; what had begun goes on all the same.' : '',
    }
  const [are, whom] = n === 1 ? ['is', 'it'] : ['are', 'them']
  return {
    sentence: `${them} ${are} being deleted, which does not end: ${why}`,
    detail: `No update of the group deletes ${whom}: somebody does, or a health check.`,
  }
}

/** What it waits for; of one that is held for long, that first. */
export function asked(
  ctx: Ctx,
  c: ChangeDto,
  {
    standing,
    since,
    byOthers,
    unasked,
    taken,
    made = 0,
    certExpiry = null,
  }: {
    standing: ChangeStanding | undefined
    since: string | null | undefined
    byOthers: TheirPause | null
    unasked: WhyUnasked | null
    /** How often its hold was taken away outside Drydock, and put back. */
    taken: number
    /** How many machines were made of what only the gate holds. */
    made?: number
    /** Of a pool: when the first certificate that its nodes trust expires. */
    certExpiry?: Date | null
  },
): string {
  const stopped = unasked ? `Stopped on its way: ${UNASKED_SHORT[unasked]}. ` : ''
  const fought = taken > 0 ? `Its hold was taken away ${taken === 1 ? 'once' : `${taken} times`}, and put back. ` : ''
  const slipped = made > 0 ? `${madeUnaskedWords(made)}: only the update gate holds its group. ` : ''
  const said = byOthers ? pausedWords(ctx, c, standing, byOthers) : askedWords(ctx, c, standing)
  const words = `${slipped}${fought}${stopped}${c.stuckReason ? `${said.replace(/\.?$/, '.')} ${begunStuckWords(c)}` : said}`
  if (c.holdLevel === 'fresh' || !since) return words
  const age = `${ageWords(Date.now() - Date.parse(since))}${orLonger(c)}`
  if (c.holdLevel === 'dangerous') return `${dangerWords(c, age, certExpiry)} ${words}`
  return `${agedWords(c.groupKind, c.heldBy === 'hook' || c.heldBy === 'gate')} for ${age}. ${words}`
}

/** Whatever holds the rest, and asks for it. */
const begunStuckWords = ({ groupKind, stuckReason }: ChangeDto): string =>
  // Of a group it may be a machine that has not begun.
  `${groupKind === POOL ? 'What it had begun is stuck' : 'Stuck besides'}: ${stuckReason}`

/** No age of a pause is dangerous by itself: certificates are, that may not reach paused nodes. */
function dangerWords({ groupKind }: ChangeDto, age: string, certExpiry: Date | null): string {
  if (groupKind !== POOL) return `This control plane has stood still for ${age}, which is dangerous.`
  const ends = certExpiry ? expiryWords(certExpiry) : 'a certificate that its nodes trust is near its end'
  return `Its pool has been paused for ${age}, and ${ends}: that is dangerous.`
}

/** Somebody's own pause, and what it waits for besides. */
function pausedWords(ctx: Ctx, c: ChangeDto, standing: ChangeStanding | undefined, pause: TheirPause): string {
  const own = capital(hasToWords(pause, c.groupKind))
  const waits = c.state === 'waiting' || c.state === 'rejected'
  // What it stopped for stands, whoever pauses it besides.
  return c.stopped || (waits && c.heldBy !== 'person' && c.heldBy !== 'none')
    ? `${askedWords(ctx, c, standing, pause).replace(/\.$/, '')}. ${own}`
    : own
}

function askedWords(
  ctx: Ctx,
  c: ChangeDto,
  standing: ChangeStanding | undefined,
  pause: TheirPause | null = null,
): string {
  const out = c.outlook.before?.outOfService ?? 0
  const outWords = `${out === 1 ? '1 machine is' : `${out} machines are`} out of service until its group goes on`
  if (c.state === 'rejected' && out > 0) return `Rejected, and ${outWords}: decide anew`
  if (c.state === 'rejected') return 'Rejected, and still held: change the group back, or decide anew'
  if (isRefused(c.decision, c.dueMode !== null))
    return `The ${c.decision!.mode === 'reject' ? 'rejection' : 'approval'} did not get through to the cluster`
  if (c.stopped) return c.stopped.policy ? `It stopped by itself: ${c.stopped.why}` : capital(c.stopped.why)
  const words = c.outlook.blocked ?? waitsFor(ctx, c, standing, pause)
  return out > 0 ? `${words}. ${capital(outWords)}` : words
}

/** What this person is to a change that waits, as its policy has it. `pause`: somebody's own, which no time ends. */
function waitsFor(
  { actor }: Ctx,
  change: ChangeDto,
  standing: ChangeStanding | undefined,
  pause: TheirPause | null,
): string {
  const waits = may(actor.role, 'changes:approve') ? 'Waiting for your approval' : 'Waiting for approval'
  if (!standing) return waits
  const listed = listedStanding(standing, change)
  const { given, otherwise, needed, forbidden, due, goes, open, timing, early } = listed
  if (asksNobody(change, listed))
    return change.heldBy === 'person' ? capital(hasToWords('group', change.groupKind)) : 'Nothing holds it'
  if (forbidden) return forbidden
  if (due && change.paused) return `Paused by ${change.paused.by}`
  if (due && change.step)
    return `${change.step.done} of ${change.step.of} machines done, as approved: the next one waits for somebody`
  if ((due || goes) && begunOf(change) === 'all') return 'Every node has begun, and goes on to its end'
  if ((due || goes) && timing.shape) return `${due ? 'Approved' : 'Nobody is asked'}, but ${timing.shape.words}`
  if (due && early) return tooEarlyWords(early, true).replace(/\.$/, '')
  const said = due ? 'Approved' : 'Nobody is asked'
  if ((due || goes) && timing.why === 'wave' && timing.wave?.place) return waveSentence(said, timing.wave.place)
  if (due || goes) return pause ? said : `${said}, ${whenWords(timing)}`
  if (given >= needed) return 'Enough approvals by now: it goes when somebody approves it once more'
  // It needs both, in either order.
  const paused = change.paused && !change.pausedUntilHeld ? `, and paused by ${change.paused.by}` : ''
  const soFar = given + otherwise > 0 ? `: ${approvalsWords(listed)} so far` : ''
  if (open && given + otherwise === 0)
    return `Its policy asks nobody, and whether it can go in place is not known yet${paused}`
  const { tooFew } = listed
  const end = tooFew ? `${paused}${soFar}. ${tooFewWords(tooFew).replace(/\.$/, '')}` : `${paused}${soFar}`
  if (standing.rules.notTheAuthor.value && standing.author.isBy(actor.id))
    return tooFew ? `Yours${end}` : `Yours, for others to approve${end}`
  if (standing.counting.has(actor.id))
    return tooFew ? `Approved by you${end}` : `Approved by you, waiting for others${end}`
  // Whoever approves it before that does so for nothing.
  const from = early?.from && Date.parse(early.from) > Date.now() ? `, after ${utc(early.from)}` : ''
  return `${waits}${from}${end}`
}

/** Behind "Approved". */
export const whenWords = (timing: TimingDto): string =>
  timing.open || timing.why === 'hook' || timing.apart.length > 0 || opensAt(timing)
    ? goesWords(timing)
    : 'and nothing says when it may move'

const waveSentence = (
  said: string,
  { name, index, of, state, asksPerson, why }: NonNullable<NonNullable<TimingDto['wave']>['place']>,
): string =>
  state === 'stopped'
    ? `${said}, and ${why}: it waits until somebody lets them go on`
    : asksPerson
      ? `${said}: its wave ${name} begins when somebody says so`
      : `${said}, and in wave ${index + 1} of ${of} (${name}), which waits: ${why}`
