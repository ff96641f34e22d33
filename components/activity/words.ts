import { governedWords } from '@/components/clusters/words'
import type { ChipTone } from '@/components/ui'
import { ENDED_WHY } from '@/components/updates/ended-words'
import { isKept, isOnlyHeld, STANDS, voidedWhy } from '@/components/updates/words'
import { utc } from '@/lib/domain/policies/spans'
import type { AuditRow } from '@/lib/services/audit/filter'
import type { AuditKnown } from '@/lib/services/audit/known'
import type { ApprovalFate } from '@/lib/services/audit/approval-fate'
import type { ChangeDto, ChangeState } from '@/lib/services/changes/change-row'
import { chosenSets } from './chosen-sets'
import { isOpenShiftDecision, openShiftOutcome } from './openshift-outcome'

/** Of a decision on OpenShift what its engine says, whatever its kind. */
const engineWords = (audit: string, decision: string): Record<string, string> => ({
  [`${audit}.accepted`]: `the cluster accepted ${decision} for`,
  [`${audit}.failed`]: `the cluster refused ${decision} for`,
  [`${audit}.step-stored`]: `the cluster accepted a step of ${decision} for`,
  [`${audit}.retried`]: `retried ${decision} for`,
  [`${audit}.cancelled`]: `cancelled ${decision} for`,
  [`${audit}.take-back`]: `cancelled, and began to take back, ${decision} for`,
  [`${audit}.taken-back`]: `the cluster accepted the taking back of ${decision} for`,
  [`${audit}.overtaken`]: `saw written over, before it was taken up, ${decision} for`,
  [`${audit}.seen`]: `saw ${decision} in the watch of`,
})
const BOOT_IMAGE = 'the boot image decision'
const MANAGED = 'the decision on managed boot images'
const POOL_PAUSE = 'the pause or resumption'
const ADMIN_GATE = 'the decision on a gate of administrators'

const WORDS: Record<string, string> = {
  'change.approved': 'approved the change of',
  'change.rejected': 'rejected the change of',
  'change.not-due': 'could not let go at its time, and left to people, the change of',
  'change.paused': 'paused the rollout of',
  'change.resumed': 'resumed the rollout of',
  'change.next-machine': 'let the next machine go, of the rollout of',
  'change.all-machines': 'let all other machines go, of the rollout of',
  'change.stopped-by-itself': 'stopped by its policy the rollout of',
  'change.roll-back': 'began to write, to go back, to the group of',
  'change.rolled-back': 'wrote the former state, which is a change of its own, to the group of',
  'change.workers-grow': 'let worker groups get machines during the hold of',
  'change.workers-held': 'took back that worker groups get machines during the hold of',
  'scaling.carry': 'begins to scale, while it is held,',
  'scaling.carried': 'scaled, while it is held,',
  'scaling.take-back': 'begins to take back, while it is held, what a machine set had not made of',
  'scaling.taken-back': 'took back, while it is held, what a machine set had not made of',
  'scaling.leave': 'begins to leave what a machine set made in that moment of',
  'scaling.left': 'left what a machine set made in that moment of',
  'scaling.hand-back': 'begins to hand back the scaling of',
  'scaling.handed-back': 'handed back the scaling of',
  'scaling.skip-checks': 'begins to skip checks of the control plane for',
  'scaling.checks-skipped': 'skips checks of the control plane for',
  'scaling.make-checks': 'begins to have the checks of the control plane made again for',
  'scaling.checks-made': 'has the checks of the control plane made again for',
  'change.shape': 'begins to write, as its policy says, the group of',
  'change.shaped': 'wrote, as its policy says, the group of',
  'hold.reminded': 'reminded people of a hold that is old, on the change of',
  'hold.put-before-everybody': 'showed to everybody a hold that is too old, on the change of',
  'hold.dangerous': 'called dangerous the hold of the change of',
  'change.limit-restored': 'let stop by itself again the rollout of',
  'change.needs-word': 'left to people whether it is done, as every machine has it, the rollout of',
  'change.counted-done': 'counted as done, with its machines as they were, the rollout of',
  'change.failures-accepted': 'accepted what failed, and let go on, the rollout of',
  'change.skips-remediation': 'had remediation skipped while they are updated, for machines of',
  'change.minds-remediation': 'had remediation skipped no more for machines of',
  'remediation.skip': 'began to have remediation skipped for machines of',
  'remediation.skipped': 'had remediation skipped for machines of',
  'remediation.restore': 'began to restore the remediation of machines of',
  'remediation.restored': 'restored the remediation of machines of',
  'change.override': 'waived the windows, freezes and waves of the change of',
  'change.override-ended': 'held to its windows, freezes and waves again the change of',
  'approval.given': 'gave one approval to the change of',
  'approval.withdrawn': 'took an approval back from the change of',
  'approval.expired': 'found its approval expired before anything began, of the change of',
  'approval.outgrown': 'found that more nodes at once would go than its approval showed, of the change of',
  'approval.ran-out': 'saw an approval expire, of the change of',
  'approval.config-edited': 'ended the approvals, as the configuration of its machines was edited, of the change of',
  'waves.begin': 'let a wave begin, of the policy',
  'waves.begin-ended': 'took back that a wave begins, of the policy',
  'waves.skip': 'said that a wave is not waited for, of the policy',
  'waves.skip-ended': 'said that a wave is waited for again, of the policy',
  'waves.word-ended': 'saw somebody’s word about its waves end by itself, of the policy',
  'waves.stop': 'stopped the waves of the policy',
  'waves.stop-ended': 'let go on the waves of the policy',
  'rollout-policy.added': 'wrote the policy',
  'rollout-policy.changed': 'changed the policy',
  'rollout-policy.removed': 'removed the policy',
  'change.revert': 'began to release the reverted change of',
  'change.reverted': 'released the reverted change of',
  'change.handed-down': 'let Cluster API hand down the version for the update of',
  'change.waits': 'saw, waiting for a decision, the update of',
  'change.release': 'began to release, with nothing left to hold,',
  'change.released': 'released, with nothing left to hold,',
  'change.gone': 'saw, with its group gone, the end of the update of',
  'change.superseded': 'saw a newer change take the place of the update of',
  'change.taken-back': 'saw changed back, before it moved, the update of',
  'change.not-held': 'saw, begun without having been held, the update of',
  'change.date-unapproved': 'saw about to come, with no approval in force, the date of the update of',
  'change.dated': 'saw go on, as it was approved, the update of',
  'change.left': 'saw go on, let go before its cluster was disconnected, the update of',
  'change.let-go': 'saw the hold taken away outside Drydock of',
  'change.hold-again': 'began to hold again, its hold taken away, the change of',
  'change.held-again': 'held again, its hold taken away outside Drydock, the change of',
  'change.moved-unapproved': 'saw nodes or machines begin, not let go, with the change of',
  'change.stop': 'began to hold the change of',
  'change.stopped': 'held the change of',
  'change.reword': 'began to write what it waits for to the group of',
  'change.reworded': 'wrote what it waits for to the group of',
  'change.unmark': 'began to take its mark of an ended hold off',
  'change.unmarked': 'took its mark of an ended hold off',
  'change.hold': 'began to put on hold the pending change of',
  'change.held': 'put on hold the pending change of',
  'decision.accepted': 'the cluster accepted the decision on',
  'decision.ended': 'saw held again what was let go of',
  'decision.failed': 'the cluster refused the decision on',
  'decision.overtaken': 'asked the cluster to let come too late the release that was taken back of',
  'decision.put-off': 'could still not send, and tries again later, the decision on',
  'decision.retried': 'retried the decision on',
  'skew.acknowledged': 'acknowledged the boot image of',
  'skew.opted-out': 'opted out of boot image enforcement for',
  'skew.returned': 'returned boot images to automatic for',
  ...engineWords('skew', BOOT_IMAGE),
  'managed.set': 'chose the machine sets whose boot image is managed, of',
  ...engineWords('managed', MANAGED),
  'skew.review-due': 'found due for review the boot image decision for',
  'skew.unsupported': 'found evidence against the acknowledged boot image of',
  'pool.review-due': 'found due for review the pause of',
  'pool.paused': 'paused the pool',
  'pool.resumed': 'resumed the pool',
  ...engineWords('pool', POOL_PAUSE),
  'admin-gate.acknowledged': 'acknowledged a gate of administrators in',
  'admin-gate.withdrawn': 'took back the acknowledgement of a gate of administrators in',
  ...engineWords('admin-gate', ADMIN_GATE),
  'cluster.added': 'connected',
  'cluster.credentials-replaced': 'replaced the credentials of',
  'cluster.connected-again': 'connected again',
  'cluster.disconnect': 'began to disconnect',
  'cluster.disconnected': 'disconnected',
  'policy.changed': 'changed what is governed on',
  'latch.install': 'began to install the latch on',
  'latch.installed': 'installed the latch on',
  'latch.follow': 'began to change, with what is governed, the latch on',
  'latch.followed': 'changed, with what is governed, the latch on',
  'latch.repair': 'began to repair the latch on',
  'latch.repaired': 'repaired the latch on',
  'latch.retire-webhook': 'began to take the old webhook away from',
  'latch.webhook-retired': 'took the old webhook away from',
  'latch.watch-ended': 'ended watching and pausing beside the latch of',
  'latch.remove': 'began to remove the latch from',
  'latch.removed': 'removed the latch from',
  'gate.register': 'began to register the gate as',
  'gate.registered': 'registered the gate as',
  'gate.taken-away': 'saw taken away, outside Drydock, the update gate',
  'updater.added': 'added the updater',
  'updater.changed': 'changed the updater',
  'updater.moved': 'moved in the order of updaters',
  'updater.removed': 'removed the updater',
  'user.created': 'created the account of',
  'user.disabled': 'disabled the account of',
  'user.enabled': 'enabled the account of',
  'user.password-reset': 'made a sign-in link for',
  'user.role-set': 'changed the role of',
  'user.sign-in-refused': 'was refused a sign-in as',
  'user.signed-in': 'signed in as',
  'webhook.set': 'said where messages go:',
  'webhook.removed': 'had no more messages sent to',
  'webhook.tested': 'sent a test message to',
  'audit.verified': 'verified the',
  'audit.exported': 'exported the',
}

/** What the planner tried and was refused. */
const TRIED: Record<string, string> = {
  'change.reverted': 'tried to release the reverted change of',
  'change.released': 'tried to release, with nothing left to hold,',
  'change.stopped': 'tried to stop the rollout of',
  'change.rolled-back': 'tried to write the former state to the group of',
  'change.reworded': 'tried to write what it waits for to the group of',
  'change.unmarked': 'tried to take its mark of an ended hold off',
  'change.held': 'tried to put on hold the pending change of',
  'change.held-again': 'tried to hold again, its hold taken away outside Drydock, the change of',
  'decision.failed': 'could not apply the decision on',
  'skew.failed': `could not apply ${BOOT_IMAGE} for`,
  'managed.failed': `could not apply ${MANAGED} for`,
  'admin-gate.failed': `could not apply ${ADMIN_GATE} for`,
  'decision.put-off': 'could still not send, and tries again later, the decision on',
  'pool.failed': `could not apply ${POOL_PAUSE} for`,
}

type Event = Pick<AuditRow, 'action' | 'result' | 'details' | 'answer' | 'actor'>

const AS_APPROVED = 'let go, as it was approved, the change of'
const UNASKED = 'let go, for its policy asks nobody, the change of'
const KEPT = 'saw, kept by somebody’s own pause, the update of'
const EDITED = 'saw the configuration of its machines edited after it had been let go, of the change of'
const people = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** An action as people say it; unknown ones as they are written. */
export function actionWords({
  action,
  result,
  actor,
  details,
}: Pick<Event, 'action' | 'result'> & Partial<Pick<Event, 'actor' | 'details'>>): string {
  // Nobody approves by the clock: what people approved goes, or goes on.
  if (action === 'change.approved' && actor?.kind === 'system')
    return people(details?.approvedBy).length > 0 ? AS_APPROVED : UNASKED
  // A refusal comes from the cluster; what failed did not get as far as that.
  const wave = text(details?.wave)
  if (wave && result === 'ok' && WAVE[action]) return WAVE[action](wave)
  if (action === 'change.waits' && details?.asksNobody === true) return KEPT
  if (action === 'approval.config-edited' && people(details?.over).length === 0) return EDITED
  const approver = text(details?.approver)
  if (action === 'approval.ran-out' && approver) return `saw the approval of ${approver} expire, of the change of`
  const tried = action.endsWith('.failed') ? result === 'failed' : result !== 'ok'
  const watching = details?.form === 'watch' ? (tried ? WATCHING_TRIED : WATCHING)[action] : undefined
  return (tried && TRIED[action]) || watching || (WORDS[action] ?? action.replace(/[.-]/g, ' '))
}

/** Of one wave, named before its policy. */
const WAVE: Record<string, (wave: string) => string> = {
  'waves.begin': (wave) => `let the wave ${wave} begin, of the policy`,
  'waves.begin-ended': (wave) => `took back that the wave ${wave} begins, of the policy`,
  'waves.skip': (wave) => `said that the wave ${wave} is not waited for, of the policy`,
  'waves.word-ended': (wave) => `saw somebody’s word about the wave ${wave} end by itself, of the policy`,
  'waves.skip-ended': (wave) => `said that the wave ${wave} is waited for again, of the policy`,
}

/** The same of what did not come about. */
const WATCHING_TRIED: Record<string, string> = {
  'latch.installed': 'tried to have Drydock watch, and pause what changes, on',
  'latch.removed': 'tried to end that Drydock watches and pauses on',
}

/** Where the API server can carry no latch, none is installed. */
const WATCHING: Record<string, string> = {
  'latch.install': 'began to have Drydock watch, and pause what changes, on',
  'latch.installed': 'had Drydock watch, and pause what changes, on',
  'latch.remove': 'began to end that Drydock watches and pauses on',
  'latch.removed': 'ended that Drydock watches and pauses on',
}

const MODES: Record<string, string> = { 'in-place': 'in place', replace: 'replacing', reject: 'rejection' }
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** "in place · v1.34.1 → v1.34.2 · payments-prod": the essentials beside the sentence. */
export function factsOf({ action, details }: Pick<Event, 'action' | 'details'>, known?: AuditKnown): string[] {
  const mode = action === 'change.rejected' ? null : (text(details.mode) ?? known?.decision?.mode)
  const version = action.startsWith('skew.') ? (text(details.version) ?? known?.version) : null
  return [
    mode && (MODES[mode] ?? (action.startsWith('skew.') ? `mode ${mode}` : mode)),
    text(details.summary) ?? known?.summary,
    known?.workloadCluster,
    version,
    action === 'cluster.disconnected' && movedWords(details.moves),
    details.newerConfirmed === true && 'above the cluster’s own release',
    details.closingConfirmed === true && 'closes updates that were open',
    details.againstConfirmed === true && 'against the evidence',
    details.unreadableConfirmed === true && 'not readable for the operator',
    ...(action === 'managed.set' ? chosenSets(details) : []),
    /\.(step-stored|retried)$/.test(action) && text(details.did),
    action.startsWith('admin-gate.') && text(details.gate),
    overwroteWords(details.overwrote),
    action === 'approval.ran-out' && text(details.expiredAt) && `good until ${utc(text(details.expiredAt)!)}`,
    action === 'user.role-set' && text(details.to) && `${text(details.from) ?? '?'} → ${text(details.to)}`,
    action.startsWith('policy.') || action === 'latch.install'
      ? text(details.governs) && `governs ${governedWords(text(details.governs)!)}`
      : null,
  ].filter((fact): fact is string => Boolean(fact))
}

/** What stood there of somebody else's. */
function overwroteWords(overwrote: unknown): string | false {
  const { stood, by } = (overwrote ?? {}) as { stood?: unknown; by?: unknown }
  const [what, who] = [text(stood), text(by)]
  return what !== null && `in place of ${what}${who === null ? '' : `, which ${who} wrote`}`
}

/** What somebody disconnected although it moves by it. */
const movedWords = (moves: unknown): string | false =>
  Array.isArray(moves) && moves.length > 0 && `although this moves by it: ${moves.join(', ')}`

export interface Outcome {
  tone: ChipTone
  word: string
  /** A line below the sentence: what became of it. */
  line?: string
}

const RESULTS: Record<string, Outcome> = {
  ok: { tone: 'good', word: 'done' },
  refused: { tone: 'bad', word: 'refused' },
  failed: { tone: 'bad', word: 'failed' },
}

/** It went on record, and says that what was meant to happen did not. */
const NOT_DONE: Record<string, string> = { 'change.not-due': 'not let go' }

/** What became of what the event says. Of a decision that is what is known by now, not what was hoped for then. */
export function outcomeOf(event: Event, known?: AuditKnown): Outcome {
  if (isAskedAgain(event))
    return { tone: 'plain', word: 'asked again', line: 'asked again: it had been changed meanwhile' }
  const notDone = NOT_DONE[event.action]
  if (notDone) return { tone: 'bad', word: notDone }
  const outcome = RESULTS[event.result] ?? { tone: 'plain' as const, word: event.result }
  if (event.action === 'approval.given' && known?.fell) return fellOutcome(known.fell)
  if (event.result === 'ok' && known?.openShift && isOpenShiftDecision(event.action))
    return openShiftOutcome(known.openShift) ?? outcome
  const decided = event.action === 'change.approved' || event.action === 'change.rejected'
  return (decided && known?.decision && decisionOutcome(known.decision)) || outcome
}

function decisionOutcome(decision: NonNullable<AuditKnown['decision']>): Outcome | null {
  const { state, sentAt, acceptedAt, change } = decision
  if (state === 'recorded' || state === 'applying')
    return { tone: 'plain', word: 'recorded', line: 'not accepted by the cluster yet' }
  if (state === 'failed')
    return { tone: 'bad', word: 'not accepted', line: `not accepted: ${decision.error ?? 'the cluster refused it'}` }
  if (state !== 'voided') return null
  const newest = change.newestDecision
  const of = {
    ...{ state: change.state as ChangeState, decision: newest === null ? null : { id: newest }, ended: change.ended },
    dueMode: change.dueMode as ChangeDto['dueMode'],
  }
  const why = voidedWhy(of, decision)
  if (!sentAt && !acceptedAt && decision.error)
    return { tone: 'plain', word: 'no effect', line: `it took no effect: ${decision.error}` }
  if (!sentAt && !acceptedAt) return { tone: 'plain', word: 'not sent', line: `not sent: ${why}` }
  if (!acceptedAt)
    return { tone: 'plain', word: 'void', line: `void, and it is not known whether the cluster took it: ${why}` }
  if (isKept(of, decision)) return { tone: 'plain', word: 'held again', line: `accepted then, ${why}; ${STANDS}` }
  if (isOnlyHeld(of, decision)) return { tone: 'plain', word: 'held again', line: `accepted then, ${why}` }
  return { tone: 'plain', word: 'void since', line: `accepted then, void since: ${why}` }
}

const FATES: Record<Exclude<ApprovalFate, 'fell'>, { word: string; line: string }> = {
  expired: { word: 'expired', line: 'expired since, before anything went by it' },
  withdrawn: { word: 'taken back', line: 'taken back since, before anything went by it' },
  rejected: { word: 'over', line: 'over since: the change was rejected' },
  anew: { word: 'over', line: 'over since: given anew afterwards' },
  config: {
    word: 'over',
    line: 'over since: the configuration of its machines was edited beside what differs, which this person had not seen',
  },
  fewer: { word: 'over', line: 'over since: fewer machines were wanted afterwards, which this person had not seen' },
}

/** Of an approval by which nothing went. */
function fellOutcome({ fate, change }: NonNullable<AuditKnown['fell']>): Outcome {
  if (fate !== 'fell') return { tone: 'plain', ...FATES[fate] }
  const { state, ended } = change
  const why =
    state === 'superseded'
      ? ENDED_WHY[ended ?? 'newer']
      : state === 'reverted'
        ? 'the group was changed back'
        : 'the decision that it was a part of is void'
  return { tone: 'plain', word: 'fell away', line: `fell away since: ${why}` }
}

/** The planner's own writes are made anew when somebody else wrote in between: nothing is wrong. */
const isAskedAgain = ({ action, result, actor, answer }: Event): boolean =>
  result === 'refused' &&
  actor.kind === 'system' &&
  action.startsWith('change.') &&
  (answer ?? '').includes('the object has been modified')

/** Whose words stand below an event. Only what the API server said is said to be its. */
export function answerLabel({ action, result, details }: Pick<Event, 'action' | 'result' | 'details'>): string {
  const overtaken = action.endsWith('.overtaken') && !action.startsWith('decision.')
  if (action.endsWith('.seen') || overtaken) return 'What Drydock made of it'
  if (result === 'failed') return 'What stood in the way'
  if (action === 'decision.accepted' && !('attempt' in details)) return 'How it is known'
  if (action === 'cluster.disconnected') return 'What became of it'
  return 'The API server answered'
}
