import { VERDICTS, type Verdict } from '@/lib/domain/verdict'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { ChangeMachine } from '@/lib/services/changes/get-change'

type Known = Pick<ChangeMachine, 'progress' | 'verdict'>

const OVER = new Set<ChangeDto['state']>(['done', 'superseded', 'reverted'])
export const isOver = (state: ChangeDto['state']): boolean => OVER.has(state)

/** Through before anything began: it was what it should be. */
export const isUntouched = ({ progress }: Known): boolean =>
  progress !== null && progress.state === 'done' && !progress.startedAt && !progress.predicted

/**
 * The way a machine goes in this change. Cluster API writes what a machine shall be before it makes it so: its own verdict
 * says "up to date" while it is still being updated, and what it is to become later is the matter of another change.
 */
export function wayOf(machine: Known, over: boolean): Verdict | null {
  const { progress, verdict } = machine
  const word = (): string | null => {
    if (!progress || isUntouched(machine)) return over ? null : verdict
    if (progress.predicted) return progress.predicted
    if (progress.state === 'created') return null
    if (progress.state === 'updating' || progress.state === 'done') return 'in-place'
    if (progress.state === 'deleting' || progress.state === 'deleted') return 'replace'
    return over ? null : verdict
  }
  const found = word()
  return VERDICTS.find((v) => v === found) ?? null
}

const STEPS: Record<string, string> = {
  waiting: 'waiting for its turn',
  updating: 'updating',
  done: '✓ updated in place',
  failed: '✕ failed',
  created: '✓ new',
  deleting: 'being deleted',
  deleted: '✓ deleted',
}

/** How far a machine has come in this change; what is over waits for nothing any more. */
export function stepOf(machine: Known & Pick<ChangeMachine, 'state'>, over: boolean): string {
  const { progress, state } = machine
  if (isUntouched(machine) || (over && (!progress || progress.state === 'waiting'))) return 'not touched'
  if (!progress) return STEPS.waiting!
  if (progress.state === 'created' && state === 'provisioning') return 'coming up'
  return STEPS[progress.state] ?? progress.state
}

/** Which updaters are through with a machine, and which one is at work or failed. */
export function workersOf(progress: NonNullable<ChangeMachine['progress']>): string | null {
  const { state, updater, updatersDone = [] } = progress
  if (state !== 'updating' && state !== 'failed') return null
  const parts = [
    updatersDone.length > 0 && `${updatersDone.join(', ')} done`,
    updater && `${updater} ${state === 'failed' ? 'failed' : 'at work'}`,
  ]
  return parts.filter(Boolean).join(', ') || null
}
