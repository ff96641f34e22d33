import { FROM_BEFORE, othersWords } from '@/lib/domain/changes/by-others'
import { saysBehind } from '@/lib/domain/changes/behind'
import { saysUncalled } from '@/lib/domain/changes/uncalled'
import { VERDICTS, type Verdict } from '@/lib/domain/verdict'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { ChangeMachine } from '@/lib/services/changes/get-change'

type Known = Pick<ChangeMachine, 'progress' | 'verdict' | 'state'>
type Step = NonNullable<ChangeMachine['progress']>

const OVER = new Set<ChangeDto['state']>(['done', 'superseded', 'reverted'])
export const isOver = (state: ChangeDto['state']): boolean => OVER.has(state)

/** Through before anything began: it was what it should be. */
const isUntouched = ({ progress }: Known): boolean =>
  progress !== null &&
  progress.state === 'done' &&
  !progress.startedAt &&
  (!progress.predicted || progress.predicted === 'up-to-date')

/** There before Drydock saw the change, and not up yet: made by the same rollout. */
const isComing = (machine: Known): boolean => isUntouched(machine) && machine.state === 'provisioning'

/** Made of it before anybody let it go: its row says that, and not that it was left alone. */
export const isMadeUnasked = (machine: Known & Pick<ChangeMachine, 'name'>, made: readonly string[]): boolean =>
  made.includes(machine.name) &&
  (!machine.progress ||
    isUntouched(machine) ||
    (machine.progress.state === 'waiting' && machine.verdict === 'up-to-date'))

/** Of one that was made so. */
export const madeWords = (machine: Known, over: boolean): string =>
  machine.state === 'provisioning' && !over ? 'made unapproved, coming up' : 'made unapproved'

/**
 * The way a machine goes in this change. Cluster API writes what a machine shall be before it makes it so: its own verdict
 * says "up to date" while it is still being updated, and what it is to become later is the matter of another change.
 */
export function wayOf(machine: Known, over: boolean, waits = false): Verdict | null {
  const { progress, verdict } = machine
  const word = (): string | null => {
    if (isComing(machine)) return null
    // Held again: what becomes of it is decided anew, whatever was foretold before.
    if (waits && !progress?.late && (progress?.state === 'waiting' || progress?.state === 'done')) return verdict
    if (progress?.predicted) return progress.predicted
    if (!progress || isUntouched(machine)) return over ? null : verdict
    if (progress.state === 'created') return null
    if (progress.state === 'updating' || progress.state === 'done') return 'in-place'
    if (progress.state === 'deleting' || progress.state === 'deleted') return progress.byOthers ? null : 'replace'
    return over ? null : verdict
  }
  const found = word()
  return VERDICTS.find((v) => v === found) ?? null
}

/** Its updaters are done, nothing is at work on it, and it is not what is wanted: its row says so. */
export const isBehind = ({ progress, state }: Known): boolean =>
  progress?.state === 'updating' && state === 'ready' && saysBehind(progress.message)

const FEW = 3

/** "a: its updaters are done, but its kubelet is still v1.34.1." of each, as far as they are few. */
export function behindLines(machines: readonly (Known & Pick<ChangeMachine, 'name'>)[]): string[] {
  const behind = machines.filter(isBehind)
  const lines = behind.slice(0, FEW).flatMap(({ name, progress }) => {
    const message = progress?.message
    return message ? `${name}: ${message[0]!.toLowerCase()}${message.slice(1)}` : []
  })
  return behind.length > FEW ? [...lines, `So it is with ${behind.length - FEW} more.`] : lines
}

/** What had begun before it stopped by itself goes on, and may fail; empty: nothing of it did. */
export function failedSince(
  machines: readonly (Pick<Known, 'progress'> & Pick<ChangeMachine, 'name'>)[],
  stopped: { policy: string; at: string },
): string {
  const failed = machines.filter(({ progress }) => progress?.failedAt && progress.failedAt > stopped.at)
  if (failed.length === 0) return ''
  const named = failed.slice(0, FEW).map(({ name, progress }) => `${name}: ${progress?.failedFor}`)
  const more = failed.length > FEW ? `; ${failed.length - FEW} more` : ''
  // By somebody's word it stopped for other reasons than failures.
  return `${failed.length}${stopped.policy ? ' more' : ''} failed since (${named.join('; ')}${more}). `
}

type Decided = Pick<ChangeDto, 'state'> & Partial<Pick<ChangeDto, 'decision' | 'outlook'>>

/**
 * What was foretold of a machine of a change that is over. With a spare nobody knew which machine goes: that is what was
 * foretold of each of them, whatever became of it.
 */
export function foretoldOf(machine: Known, { decision, outlook }: Decided): Verdict | null {
  const { progress } = machine
  if (!progress || progress.predicted || progress.state === 'created' || isUntouched(machine) || wasMade(progress))
    return wayOf(machine, true)
  const spare = (outlook?.inPlace?.counts['in-place-with-spare'] ?? 0) > 0
  if (decision?.mode === 'in-place' && spare && progress.state !== 'waiting') return 'in-place-with-spare'
  return wayOf(machine, true)
}

/** What a machine is to become, or became: of what is gone before anything of it began, nothing. */
export function verdictOf(machine: Known, change: Decided): Verdict | null {
  if (isOver(change.state)) return foretoldOf(machine, change)
  const waits = change.state === 'waiting' || change.state === 'rejected'
  if (waits && machine.state === null && !machine.progress?.startedAt) return null
  return wayOf(machine, false, waits)
}

/** And deleted by others since: no updater had to do with it. */
const wasMade = ({ byOthers, updated, updater, updatersDone = [] }: Step): boolean =>
  byOthers === true && updated === true && !updater && updatersDone.length === 0

/** A verdict as it was foretold, said when it is over. */
export const FORETOLD: Partial<Record<Verdict, string>> = { 'in-place-with-spare': 'in place, or the one replaced' }

const STEPS: Record<string, string> = {
  waiting: 'waiting for its turn',
  updating: 'updating',
  done: '✓ updated in place',
  failed: '✕ failed',
  created: '✓ new',
  deleting: 'being deleted',
  deleted: '✓ deleted',
}

/** Nobody wanted it deleted: its health check had found it ill. */
const REMEDIATED: Record<string, string> = {
  deleting: 'found ill, being deleted',
  deleted: '✕ remediated: found ill, and deleted',
}

/** Nor did the rollout do it, or nobody can tell. */
const OTHERS: Record<string, string> = { deleting: 'being deleted', deleted: '✕ deleted' }

/** Nor had it to do with this change. */
const EARLY: Record<string, string> = {
  deleting: `being deleted ${FROM_BEFORE}`,
  deleted: `deleted, ${FROM_BEFORE}`,
}

/** Nor did a check find it: somebody had marked it. */
const MARKED: Record<string, string> = {
  deleting: 'marked to be remediated, being deleted',
  deleted: '✕ remediated: somebody had marked it',
}

/**
 * What became of one that is not there any more: what the change itself deleted, what was remediated, and what went
 * afterwards. `asked`: its cluster still is; else nobody knows.
 */
export function goneWords(
  { progress, isElsewhere }: Known & Pick<ChangeMachine, 'isElsewhere'>,
  asked: boolean,
): string {
  if (isElsewhere && asked) return 'there, and not in this pool now'
  if (progress?.state !== 'deleted' && progress?.state !== 'deleting')
    return asked ? 'gone since' : 'not known any more'
  if (progress.early) return EARLY.deleted!
  if (!progress.ill) return progress.byOthers ? `deleted, ${byOthersWords(progress)}` : 'no longer there'
  return illGoneWords(progress)
}

/** That it was ill says not who deleted it. */
const byOthersWords = ({ unforetold, unwell }: Step): string =>
  `${othersWords(unforetold)}${unwell ? '; it was not well' : ''}`

function illGoneWords({ marked, updated, startedAt }: Pick<Step, 'marked' | 'updated' | 'startedAt'>): string {
  const how = marked ? 'marked by somebody to be remediated, and deleted' : 'found ill and deleted'
  const when = updated ? 'after' : startedAt === null ? 'before' : 'in the middle of'
  return `${how} ${when} its update`
}

const LEFT: Partial<Record<string, string>> = {
  updating: 'was being updated',
  created: 'was being made',
  deleting: 'was being deleted',
}

/** How far a machine has come in this change, `left`: when its cluster was disconnected; what is over waits for nothing any more. */
export function stepOf(machine: Known, over: boolean, left = false): string {
  const { progress, state } = machine
  if (left) {
    const begun = progress && (progress.startedAt || progress.state === 'deleting')
    const middle = begun && !progress.finishedAt ? LEFT[progress.state] : null
    if (middle) return `${middle} at the disconnect`
    if (!progress || progress.state === 'waiting') return 'not touched, as Drydock saw it last'
  }
  if (isComing(machine)) return 'coming up'
  if (isUntouched(machine) || (over && (!progress || progress.state === 'waiting'))) return 'not touched'
  if (!progress) return STEPS.waiting!
  if (progress.late) return `✕ failed: ${progress.late}`
  // Counted as done, it is accepted: that made it no better.
  if (over && progress.state === 'created' && !progress.throughAt && progress.failedFor)
    return `✕ failed: ${progress.failedFor}`
  const comes = progress.state === 'created' && state !== null && state !== 'ready' && !over
  if (comes && progress.failedFor) return `${progress.failedFor}, which was accepted`
  if (comes) return progress.throughAt ? 'new, and not ready now' : 'coming up'
  // Only what had begun counts as remediated.
  if (progress.ill && !progress.early && !progress.startedAt && progress.state === 'deleted')
    return `✕ ${illGoneWords(progress)}`
  if (isBehind(machine) && !over) return 'not through yet'
  if (progress.state === 'waiting' && state === 'updating' && !over) return STEPS.updating!
  // Made in the middle of an older revision, in the place of one that somebody deleted.
  if (progress.state === 'waiting' && state === 'provisioning') return 'coming up, then waits for its turn'
  return (
    (progress.early && EARLY[progress.state]) ||
    (progress.ill && (progress.marked ? MARKED : REMEDIATED)[progress.state]) ||
    (progress.byOthers && OTHERS[progress.state] && `${OTHERS[progress.state]}, ${byOthersWords(progress)}`) ||
    (STEPS[progress.state] ?? progress.state)
  )
}

/** Which updaters are through with a machine, and which one is at work or failed. */
export function workersOf(progress: Step): string | null {
  const { state, updatersDone = [] } = progress
  if (state !== 'updating' && state !== 'failed') return null
  const updater = state === 'updating' && saysUncalled(progress.message) ? null : progress.updater
  const parts = [
    updatersDone.length > 0 && `${updatersDone.join(', ')} done`,
    updater && `${updater} ${state === 'failed' ? 'failed' : 'at work'}`,
  ]
  return parts.filter(Boolean).join(', ') || null
}
