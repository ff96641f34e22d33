import { REMEDIATE } from '@/lib/domain/health-checks'

/** What is on record of a machine in a change. */
export interface MachineStory {
  machineName: string
  state: string
  predicted: string | null
  message: string | null
  startedAt: Date | null
  finishedAt: Date | null
  updater: string | null
  updatersDone: string[]
  illAt: Date | null
  illBy: string | null
  throughAt: Date | null
  deletingAt: Date | null
}

export interface MachineStep {
  at: Date | null
  text: string
  tone: 'plain' | 'good' | 'bad'
}

const UPDATED = { begun: 'began to be updated in place', over: 'updated in place' }
const FOUND = { ...UPDATED, begun: 'was being updated in place when this was first seen' }
const CREATED = { begun: 'is being created', over: 'created' }
const DELETED = { begun: 'is being deleted', over: 'deleted' }
const FAILED = { begun: 'began', over: 'failed' }
/** How a machine's step begins and ends, by the step that it is at. */
const STEPS: Record<string, typeof UPDATED> = { created: CREATED, deleting: DELETED, deleted: DELETED, failed: FAILED }

/** From when its change is first seen until all of its machines have been looked at. */
const FIRST_LOOK_MS = 10_000

/**
 * What happened to one machine, the oldest first: what it went through stays told when it is found ill, or goes. `found`: when its change
 * was found under way; what was at work then began before.
 */
export function storyOf(machine: MachineStory, found: Date | null = null): MachineStep[] {
  const { machineName: name, state, message, startedAt, finishedAt, throughAt, deletingAt, illAt } = machine
  // Gone, and nobody knows by whom.
  if (!startedAt && state === 'deleted' && message)
    return [{ at: finishedAt, text: `${name}: ${message}`, tone: 'plain' }]
  // It went by itself, before anything began with it.
  if (!startedAt && deletingAt)
    return [
      { at: deletingAt, text: `${name} ${DELETED.begun}`, tone: 'plain' },
      { at: finishedAt, text: `${name}: ${DELETED.over}`, tone: 'plain' },
    ]
  // Through before anything began: nothing happened to it.
  if (!startedAt) return []
  const ill: MachineStep[] = illAt
    ? // The API server gives times in whole seconds.
      [{ at: illAt < startedAt ? startedAt : illAt, text: `${name} ${illWords(machine)}`, tone: 'bad' }]
    : []
  const ends = (over: string): MachineStep => {
    const tone = state === 'failed' ? 'bad' : 'good'
    return { at: finishedAt, text: `${name}: ${message ?? over}`, tone }
  }
  const { begun, over } = STEPS[state] ?? (isFound(startedAt, found) ? FOUND : UPDATED)
  if (!deletingAt || deletingAt <= startedAt)
    return [{ at: startedAt, text: `${name} ${begun}`, tone: 'plain' }, ...ill, ends(over)]
  const was = beforeOf(machine)
  const before = was === UPDATED && isFound(startedAt, found) ? FOUND : was
  return [
    { at: startedAt, text: `${name} ${before.begun}`, tone: 'plain' },
    { at: throughAt, text: `${name}: ${before.over}`, tone: 'good' },
    ...ill,
    { at: deletingAt, text: `${name} is being deleted${illAt ? ': it is remediated' : ''}`, tone: 'plain' },
    ends(DELETED.over),
  ]
}

const isFound = (startedAt: Date, found: Date | null): boolean =>
  found !== null && startedAt.getTime() - found.getTime() < FIRST_LOOK_MS

/** What it was at before it went: of one that nobody foretold anything of, its updaters tell that it was there before. */
function beforeOf({ predicted, updater, updatersDone }: MachineStory): typeof UPDATED {
  if (predicted?.startsWith('in-place') || updater !== null || updatersDone.length > 0) return UPDATED
  return predicted === null ? CREATED : FAILED
}

function illWords({ illBy }: MachineStory): string {
  if (illBy === REMEDIATE) return 'was marked by somebody to be remediated'
  if (illBy === null) return 'was found ill by its health check'
  return `was found ill by ${illBy.includes(', ') ? 'one of the health checks' : 'the health check'} ${illBy}`
}
