import type { ChipTone } from '@/components/ui'
import { asksNobody } from '@/lib/domain/changes/asks-nobody'
import { begunOf } from '@/lib/domain/changes/begun-of'
import type { ChangeSet } from '@/lib/domain/changes/types'
import { madeUnapproved } from '@/lib/domain/latch/gate-alone'
import { UNASKED_SHORT, type WhyUnasked } from '@/lib/domain/latch/unasked'
import { UNAPPROVED_AND, UNAPPROVED_WHY, type Unapproved } from '@/lib/domain/latch/unapproved'
import { isRefused } from '@/lib/domain/changes/refused-decision'
import { foundUnderWay } from '@/lib/domain/changes/under-way'
import type { ChangeDto, DecisionDto } from '@/lib/services/changes/change-row'
import type { Awaited } from '@/lib/services/changes/awaited-nodes'
import type { Ended } from '@/lib/services/changes/ended'
import type { Blocking } from '@/lib/services/changes/held-scaling'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { capital } from '@/lib/domain/text'
import { settlingShort } from './settling-words'
import { KEEPS, KEEPS_REST, PAUSED_AND, stuckBeside, takenAway, type TheirPause } from '@/lib/domain/their-pause'
import { peopleWords } from '@/lib/domain/people'
import { awaitedWords } from '@/lib/domain/pools/awaited'
import { expiresWords, isForbidden, tooFewWords } from '@/lib/domain/policies'
import {
  endWords,
  happenedWords,
  letGoBy,
  type MayHaveHull,
  plannedWords,
  progressWords,
  remediatedWords,
  shortOf,
} from './outcome-words'
import { ENDED, ENDED_WHY } from './ended-words'
import { forbiddenWords } from './forbidden-words'
import { illWords } from './ill-words'
import { inShort } from './in-short'
import { rejectedShort, rejectedWords } from './rejected-words'
import { ENOUGH, isEnough, forNobody, soonWords, waitsFor } from './standing-words'
import { closedWords } from './timing-words'
import { triedOf } from './tried-of'

/** Superseded is also what ended with its group, or its connection. */
interface MayHaveEnded {
  ended?: Ended | null
  awaited?: Awaited | null
  /** What waits of its control plane keeps it from getting the new machines that it needs. */
  blockedBy?: Blocking | null
  /** Machines that were made of it while only the gate held it. */
  madeUnasked?: readonly string[]
}
/** Its page has them, lists do not. */
interface MayHaveFields {
  changeSet?: ChangeSet
}
/** Nothing more of these begins while somebody’s own pause stands on the group, or its Cluster. */
export const LET_GO: ChangeDto['state'][] = ['approved', 'running', 'stuck']

/** An approval of what was let go ended since, and its group is not held yet. Every machine may have it by now. */
const isHeldAgain = ({
  state,
  pausedUntilHeld = false,
  settling,
}: Pick<ChangeDto, 'state'> & Partial<Pick<ChangeDto, 'pausedUntilHeld' | 'settling'>>): boolean =>
  pausedUntilHeld && !settling && LET_GO.includes(state)

/** Of what somebody's own pause keeps: what its policy let go without asking, and what just began, nobody approved. */
function keptWords(change: Pick<ChangeDto, 'decision'> & Partial<Pick<ChangeDto, 'outcome' | 'outlook'>>): string {
  const decision = letGoBy(change)
  if (!decision) return 'under way'
  if (happenedWords({ ...change, outcome: change.outcome ?? null })) return 'half way'
  return typeof decision.byItself === 'string' ? 'let go' : 'approved'
}

/** State of a change in words, as a chip says it. `paused`: by somebody themselves. `unapproved`: it moves, and nobody approved it. */
export function stateOf(
  change: Pick<ChangeDto, 'state' | 'decision' | 'heldBy'> &
    Partial<
      Pick<
        ChangeDto,
        | 'groupKind'
        | 'outlook'
        | 'outcome'
        | 'dueMode'
        | 'firstSeen'
        | 'settling'
        | 'counted'
        | 'stopped'
        | 'step'
        | 'pausedUntilHeld'
      >
    > &
    MayHaveEnded &
    MayHaveHull,
  standing?: ListedStanding | null,
  paused: TheirPause | null = null,
  unasked: WhyUnasked | null = null,
  unapproved: Unapproved | null = null,
): {
  words: string
  tone: ChipTone
} {
  const ill = illWords(change)
  if (unapproved && !paused && (change.state === 'running' || change.state === 'stuck'))
    return { words: unapprovedWords(change.state, unapproved) + ill, tone: 'needs' }
  if (isHeldAgain(change)) return { words: 'Being held again', tone: 'needs' }
  if (paused && stuckBeside(change)) return { words: `Stuck, and ${PAUSED_AND[paused]}`, tone: 'bad' }
  if (paused && LET_GO.includes(change.state))
    return { words: `${capital(keptWords(change))}, and ${PAUSED_AND[paused]}`, tone: 'needs' }
  switch (change.state) {
    case 'waiting':
      if (isRefused(change.decision, standing?.due))
        return { words: change.decision!.noAnswer ? UNSURE : 'The cluster refused the decision', tone: 'bad' }
      if (change.outlook?.blocked) return { words: 'Cannot be approved yet', tone: 'bad' }
      if (triedOf(change, standing)) return { words: 'Approved, and not sent yet: it is tried again', tone: 'needs' }
      if (unasked && !standing?.due) return { words: `Stopped: ${UNASKED_SHORT[unasked]}`, tone: 'needs' }
      if (cannotGoAsApproved(change)) return { words: 'Approved in place, which cannot be done now', tone: 'needs' }
      if (change.blockedBy?.first && !paused && standing?.timing.why === 'hook' && (standing.due || standing.goes))
        return { words: `${standing.due ? 'Approved' : 'No approval asked'}, its control plane waits`, tone: 'needs' }
      return (
        forNobody(change, standing) ??
        waitsFor(standing, change.heldBy, begunOf(change), paused, change.madeUnasked?.length)
      )
    case 'rejected':
      return { words: rejectedShort(change.decision, standing), tone: 'plain' }
    case 'approved':
      if (change.decision?.unanswered)
        return { words: 'Approved, not known whether the cluster took it', tone: 'needs' }
      if (change.blockedBy) return { words: `Approved, ${BY_PLANE}`, tone: 'needs' }
      if (change.outlook?.notBefore) return { words: `Approved, not before ${change.outlook.notBefore}`, tone: 'plain' }
      return { words: begunOf(change) ? 'Half way, about to go on' : 'Approved, about to start', tone: 'plain' }
    case 'running': {
      if (change.settling) return settlingShort(change)
      if (change.awaited) {
        const n = change.awaited.names.length
        return { words: `Waits for ${n === 1 ? 'a node' : `${n} nodes`} to be available again`, tone: 'plain' }
      }
      if (change.step)
        return { words: `${change.step.done} of ${change.step.of} done, the next one waits${ill}`, tone: 'needs' }
      const gone = change.outcome?.remediated ?? 0
      const by = change.blockedBy ? `, ${BY_PLANE}` : ''
      return gone > 0
        ? { words: `Under way${by}, ${remediatedWords(gone)}${ill}`, tone: 'bad' }
        : { words: `Under way${by}${ill}`, tone: by ? 'needs' : 'plain' }
    }
    case 'stuck':
      return { words: 'Stuck', tone: 'bad' }
    case 'done': {
      const short = shortOf(change)
      const made = change.madeUnasked?.length ?? 0
      const but = [short && `${short.updated} of ${short.of} in place`, made > 0 && madeUnapproved(made)].filter(
        Boolean,
      )
      return { words: ['Done', ...but].join(', '), tone: but.length > 0 ? 'plain' : 'good' }
    }
    case 'superseded':
      return { words: change.ended ? ENDED[change.ended] : 'Superseded', tone: 'plain' }
    case 'reverted':
      return {
        words: wasRejected(change)
          ? `Rejected by ${change.decision?.actorName}, then changed back`
          : change.firstSeen || change.madeUnasked?.length
            ? 'Reverted'
            : 'Reverted before anything moved',
        tone: 'plain',
      }
  }
}

const UNSURE = 'Not known whether the cluster took the decision'
const BY_PLANE = 'blocked by its control plane'

/** Of what moves by no approval that is in force. */
const unapprovedWords = (state: 'running' | 'stuck', why: Unapproved): string =>
  `${state === 'stuck' ? 'Stuck' : 'Under way'}, and ${UNAPPROVED_AND[why]}`

/** Enough people approved it in place, it waits for its time, and by now that is not possible. */
export const cannotGoAsApproved = ({
  state,
  dueMode,
  outlook,
}: Pick<ChangeDto, 'state'> & Partial<Pick<ChangeDto, 'dueMode' | 'outlook'>>): boolean =>
  state === 'waiting' && dueMode === 'in-place' && !!outlook && !outlook.inPlace && !outlook.unknown && !outlook.blocked

/** Its last decision was to reject it, and the cluster did not refuse that. */
const wasRejected = ({ decision }: Pick<ChangeDto, 'decision'>): boolean =>
  decision?.mode === 'reject' && !decision.error

/** Whether what is called its beginning is only when Drydock first saw it. */
export const wasUnderWay = (change: Pick<ChangeDto, 'heldBy' | 'decision' | 'detectedAt' | 'startedAt'>): boolean =>
  foundUnderWay({
    heldBy: change.heldBy,
    decided: change.decision !== null,
    detectedAt: Date.parse(change.detectedAt),
    startedAt: change.startedAt === null ? null : Date.parse(change.startedAt),
  })

/** Of what was stored before Drydock saw it, what stands in front of when that was; null: it was seen as it was written. */
export function seenWords(change: Parameters<typeof wasUnderWay>[0] & Pick<ChangeDto, 'firstSeen'>): string | null {
  if (wasUnderWay(change)) return 'found under way, first seen'
  return change.firstSeen ? 'written before Drydock saw it, first seen' : null
}

/** Why a change waits, or how it fared, in few words. */
export function whyOf(
  change: ChangeDto,
  standing?: ListedStanding | null,
  paused: TheirPause | null = null,
  unasked: WhyUnasked | null = null,
  unapproved: Unapproved | null = null,
): string {
  if (unapproved && !paused)
    return `${capital(UNAPPROVED_WHY[unapproved])}${change.state === 'stuck' ? `. Stuck: ${stuckWords(change)}` : ''}`
  if (paused && stuckBeside(change)) return `${(change.stuckReason ?? NOT_MOVED).replace(/\.?$/, '.')} ${KEEPS_REST}`
  if (paused && LET_GO.includes(change.state))
    return letGoBy(change) ? `It goes on when ${takenAway(paused)}` : capital(KEEPS[paused])
  if (change.state === 'waiting') {
    if (isRefused(change.decision, standing?.due))
      return change.decision!.error ?? 'Its last decision was not accepted.'
    if (change.outlook.blocked) return change.outlook.blocked
    if (asksNobody(change, standing))
      return change.heldBy === 'person' ? 'Somebody’s own pause keeps it, not Drydock' : ''
    if (standing?.forbidden) return standing.forbidden
    if (standing?.early) return `${closedWords(standing.timing)} ${expiresWords(standing.early, standing.stands)}`
    if (standing && !standing.timing.open) {
      const kept = paused && (standing.due || standing.goes) ? ` ${capital(KEEPS[paused])} besides.` : ''
      return `${isEnough(standing) ? `${ENOUGH}. ` : ''}${closedWords(standing.timing)}${kept}`
    }
    const tried = triedOf(change, standing)
    if (tried) return tried.error ?? ''
    if (unasked) return 'Held again, until somebody decides anew'
    if (cannotGoAsApproved(change)) return change.outlook.whyNotInPlace ?? ''
    if (standing && !paused && (standing.goes || standing.due)) return soonWords(standing)
    if (standing && isEnough(standing)) return ENOUGH
    if (paused) return `${capital(KEEPS[paused])} besides`
    if (standing?.open) return 'Its policy asks nobody: it goes by itself once it is known that it can in place'
    if (standing?.tooFew) return tooFewWords(standing.tooFew)
    if (change.heldBy === 'gate') return 'The latch does not hold it: its group is not paused'
    return forNobody(change, standing)?.why ?? 'Held until somebody approves it'
  }
  const rejected = change.state === 'rejected' || (change.state === 'reverted' && wasRejected(change))
  if (rejected && change.decision?.reason) return `“${change.decision.reason}”`
  if (change.state === 'rejected') return 'Stays held'
  if (change.state === 'stuck') return change.stuckReason ?? NOT_MOVED
  if (!change.decision || change.decision.mode === 'reject') return ''
  return decidedSentence(change.decision)
}

const WAYS: Record<DecisionDto['mode'], string> = {
  'in-place': 'approved it in place',
  replace: 'approved it replacing',
  reject: 'rejected it',
}

const peopleOf = (names: readonly string[], last: string): string => peopleWords(names.length > 1 ? names : [last])

/** Who decided what: a policy that asks nobody is no person. */
export const decidedWords = ({
  actorName,
  approvers,
  mode,
  byItself,
}: Pick<DecisionDto, 'actorName' | 'approvers' | 'mode' | 'byItself'>): { who: string; did: string } =>
  typeof byItself === 'string'
    ? {
        who: `The policy ${byItself}`,
        did: `, which asks nobody, let it go ${mode === 'in-place' ? 'in place' : 'replacing'}`,
      }
    : { who: mode === 'reject' ? actorName : peopleOf(approvers ?? [], actorName), did: ` ${WAYS[mode]}` }

export function decidedSentence(decision: Parameters<typeof decidedWords>[0]): string {
  const { who, did } = decidedWords(decision)
  return `${who}${did}`
}

/** Why, in that person's words: of several people each has their own, and those stand with their approvals. */
export const decidedReason = ({
  reason,
  approvers,
  mode,
}: Pick<DecisionDto, 'reason' | 'approvers' | 'mode'>): string | null =>
  mode !== 'reject' && (approvers?.length ?? 0) > 1 ? null : reason

type Decided = Pick<DecisionDto, 'id' | 'mode' | 'error' | 'acceptedAt' | 'heldAgain'>

/** Why a decision no longer speaks. It is void for one of several reasons, told by what came after it. */
export function voidedWhy(
  change: Pick<ChangeDto, 'state'> & { decision: Pick<DecisionDto, 'id'> | null } & MayHaveEnded,
  decision: Decided,
): string {
  if (decision.error) return decision.error
  if (change.decision && change.decision.id !== decision.id)
    return decision.heldAgain ? HELD_AGAIN : 'decided anew afterwards'
  if (change.state === 'superseded') return ENDED_WHY[change.ended ?? 'newer']
  if (change.state === 'reverted') return 'the group was changed back'
  if (decision.mode === 'reject') return 'the hold was taken away in the cluster, past Drydock'
  if (decision.acceptedAt) return HELD_AGAIN
  return 'the change became another one'
}

/** Of what is kept as it was approved, only that it is held again. */
export function voidedWords(
  change: Parameters<typeof voidedWhy>[0] & Partial<Pick<ChangeDto, 'dueMode'>>,
  decision: Decided,
): string {
  const why = voidedWhy(change, decision)
  if (isKept(change, decision)) return `${why}; ${STANDS}`
  return isOnlyHeld(change, decision) ? why : `void: ${why}`
}
export const STANDS = 'what it was approved with stands'
/** It was held, and what it was approved with stood: it is not void for anything that somebody said. */
export const isOnlyHeld = (change: Parameters<typeof voidedWhy>[0], decision: Decided): boolean =>
  decision.heldAgain === true && voidedWhy(change, decision) === HELD_AGAIN
/** It goes on with the same approvals. What was void is so for good, whoever approves it so again. */
export const isKept = (change: Parameters<typeof voidedWords>[0], decision: Decided): boolean =>
  decision.heldAgain === true && change.dueMode === decision.mode && voidedWhy(change, decision) === HELD_AGAIN
const HELD_AGAIN = 'held again after it had been let go'

const NOT_MOVED = 'No machine has moved for a while'
const stuckWords = ({ stuckReason }: Pick<ChangeDto, 'stuckReason'>): string =>
  inShort(stuckReason ?? 'no machine has moved for a while')

/** The page's one sentence: before, what would happen; meanwhile, what does; afterwards, what did. */
export function headlineOf(
  change: ChangeDto & MayHaveEnded & MayHaveFields & MayHaveHull,
  paused: TheirPause | null = null,
  standing: (Pick<ListedStanding, 'way' | 'due'> & Partial<ListedStanding>) | null = null,
  unasked: WhyUnasked | null = null,
  unapproved: Unapproved | null = null,
): string {
  const { state, groupName } = change
  if (unapproved && !paused && LET_GO.includes(state)) {
    const why = `${UNAPPROVED_WHY[unapproved]}${wasRejected(change) ? `, after ${change.decision?.actorName} had rejected it` : ''}.`
    if (state === 'stuck')
      return `${unapprovedWords(state, unapproved)}: ${stuckWords(change).replace(/\.?$/, '.')} ${capital(why)}`
    return `${groupName} is being updated, and ${UNAPPROVED_AND[unapproved]}: ${why} ${capital(progressWords(change) || 'nothing has moved yet')}.`
  }
  if (isHeldAgain(change))
    return `${groupName} is being held again: ${progressWords(change) || 'nothing has moved yet'}.`
  if (paused && stuckBeside(change)) return `Stuck: ${stuckWords(change).replace(/\.?$/, '.')} ${KEEPS_REST}.`
  if (paused && LET_GO.includes(state))
    return `${groupName} is ${keptWords(change)}, and ${KEEPS[paused]}: ${progressWords(change) || 'nothing has moved yet'}.`
  switch (state) {
    case 'waiting':
    case 'rejected':
      if (standing?.due && change.stopped)
        return `${groupName} stopped by itself: ${happenedWords(change) || 'no machine was through'} by now.`
      if (state === 'rejected' && !standing?.due) return rejectedWords(change, standing)
      if (unasked && !standing?.due)
        return `${groupName} was stopped on its way in place: ${happenedWords(change) || 'no machine was through'} by then.`
      if (standing?.forbidden && isForbidden(change, { forbidden: standing.forbidden }))
        return forbiddenWords(change, standing.forbidden)
      return plannedWords(change, standing)
    case 'approved':
      if (change.blockedBy) return `${groupName} is approved, and ${BY_PLANE}: ${progressWords(change)}.`
      return plannedWords(change, standing)
    case 'running':
      if (change.settling && change.stopped && !change.stopped.policy)
        return `Every machine of ${groupName} has it: ${happenedWords(change) || 'no machine had to change'}.`
      if (change.settling && change.stopped)
        return `${groupName} stopped by itself: ${happenedWords(change) || 'no machine was through'} by now.`
      if (change.counted) return `Every machine of ${groupName} has it, and it was counted as done.`
      if (change.settling)
        return `Every machine of ${groupName} has it, and it is done when each was Ready since: ${progressWords(change)}.`
      if (change.awaited)
        return `Every node of ${groupName} has it, and it is done when ${awaitedWords(change.awaited.names)}: ${progressWords(change)}.`
      if (change.step)
        return `${groupName} waits for somebody to let its next machine go${illWords(change, ' and', ' of it')}: ${progressWords(change)}.`
      return `${groupName} is ${change.blockedBy ? BY_PLANE : 'being updated'}${illWords(change, ' and', ' of it')}: ${progressWords(change) || 'nothing has moved yet'}.`
    case 'stuck':
      return `Stuck: ${stuckWords(change)}`
    case 'done':
      return `Done: ${endWords(change, true) || 'no machine had to change'}.`
    case 'superseded':
      return endedWords(change, endWords(change))
    case 'reverted':
      // What had begun before it was seen, and went, nobody wrote down.
      return `${groupName} was changed back before ${change.madeUnasked?.length ? 'anybody let it go' : change.firstSeen ? 'Drydock saw anything move' : 'anything moved'}${wasRejected(change) ? `, after ${change.decision?.actorName} had rejected it` : ''}.`
  }
}

function endedWords(change: ChangeDto & MayHaveEnded, happened: string): string {
  const { groupName: name, ended, paused, decision } = change
  if (ended === 'deleted') return `${name} was deleted before this was over.`
  if (ended !== 'disconnected') return `A newer change of ${name} took the place of this one.`
  const said = wasRejected(change)
    ? `, after ${decision?.actorName} had rejected it`
    : paused
      ? `, while ${paused.by} had it paused`
      : ''
  return `The cluster of ${name} was disconnected before this was over${said}${happened && `: ${happened} by then`}.`
}

export const KIND_WORDS: Record<string, string> = {
  KubeadmControlPlane: 'control plane',
  MachineDeployment: 'deployment',
  MachinePool: 'pool',
  MachineSet: 'machine set',
}
