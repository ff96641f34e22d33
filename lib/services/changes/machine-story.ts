import { FROM_BEFORE, othersWords, wentByOthers } from '@/lib/domain/changes/by-others'
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
  /** When it was Ready for the first time after it was made, or updated. */
  readyAt?: Date | null
  failedAt?: Date | null
  wentBy?: string | null
  /** Of a control plane: what was not well of it as it was last looked at, and since when. */
  unwell?: string | null
  unwellSince?: Date | null
  /** Made before its change was seen, and being updated still. */
  wasThere?: boolean
}

export interface MachineStep {
  at: Date | null
  text: string
  tone: 'plain' | 'good' | 'bad'
}

const UPDATED = { begun: 'began to be updated in place', over: 'updated in place' }
const FOUND = { ...UPDATED, begun: 'was being updated in place when this was first seen' }
const CREATED = { begun: 'is being created', over: 'created' }
const FOUND_CREATED = { ...CREATED, begun: 'was being created when this was first seen' }
const MADE_UP = { ...CREATED, begun: 'is being created, in the place of one that was deleted' }
const DELETED = { begun: 'is being deleted', over: 'deleted' }
const FAILED = { begun: 'began', over: 'failed' }
/** How a machine's step begins and ends, by the step that it is at. */
const STEPS: Record<string, typeof UPDATED> = { deleting: DELETED, deleted: DELETED }

/** From when its change is first seen until all of its machines have been looked at. */
const FIRST_LOOK_MS = 10_000

/**
 * What happened to one machine, the oldest first: what it went through stays told when it is found ill, or goes. `found`: when its change
 * was found under way; what was at work then began before. `madeUp`: what was created takes the place of what others deleted.
 * `unforetold`: who deleted what was not foretold nobody can tell.
 */
export function storyOf(
  machine: MachineStory,
  found: Date | null = null,
  {
    madeUp = false,
    removes = false,
    unforetold = false,
  }: { madeUp?: boolean; removes?: boolean; unforetold?: boolean } = {},
): MachineStep[] {
  const { machineName: name, state, message, startedAt, finishedAt, throughAt, deletingAt, illAt } = machine
  // Gone, and nobody knows by whom.
  if (!startedAt && state === 'deleted' && message)
    return [...unwellOf(machine), { at: finishedAt, text: `${name}: ${message}`, tone: 'plain' }]
  const ill = [...illOf(machine), ...unwellOf(machine)]
  // It went by itself, before anything began with it; seen only when it was gone, it is told once.
  const early = machine.wentBy === 'before'
  const by = early ? FROM_BEFORE : othersWords(unforetold)
  const going: MachineStep = {
    at: deletingAt,
    text: `${name} ${DELETED.begun}${early || unforetold ? `, ${by}` : ''}`,
    tone: 'plain',
  }
  const gone: MachineStep = { at: finishedAt, text: `${name}: ${DELETED.over}, ${by}`, tone: 'plain' }
  if (early && state === 'deleting') return [...ill, going]
  if (!startedAt && deletingAt) return [...ill, ...(+deletingAt === +(finishedAt ?? 0) ? [] : [going]), gone]
  // Through before anything began, or not begun yet: nothing else happened to it.
  if (!startedAt) return ill
  const ends = (over: string): MachineStep => {
    // Its node is away: that it was made stays told as it was.
    if (state === 'created' && !finishedAt && throughAt)
      return { at: throughAt, text: `${name}: ${over}`, tone: 'good' }
    // Gone all the same: pods were cut off with it.
    if (state === 'deleted' && message) return { at: finishedAt, text: `${name}: ${over}. ${message}`, tone: 'plain' }
    const tone = state === 'failed' ? 'bad' : 'good'
    return { at: finishedAt, text: `${name}: ${message ?? over}`, tone }
  }
  const wasAtIt = isFound(startedAt, found)
  const made = madeUp ? MADE_UP : wasAtIt ? FOUND_CREATED : CREATED
  const was = beforeOf(machine)
  const before = was === CREATED ? made : was === UPDATED && wasAtIt ? FOUND : was
  const own = STEPS[state] ?? (wasAtIt ? FOUND : UPDATED)
  const { begun, over } = state === 'created' ? made : state === 'failed' ? { ...before, over: FAILED.over } : own
  // Others deleted it in the same look in which it was seen to have begun.
  const atOnce = +startedAt === +(deletingAt ?? 0)
  if (!deletingAt || deletingAt < startedAt || (atOnce && (machine.wentBy !== 'others' || was !== UPDATED)))
    return [{ at: startedAt, text: `${name} ${begun}`, tone: 'plain' }, ...ill, ends(over)]
  const others = wentByOthers({ ...machine, ill: illAt !== null }, removes) ? `, ${by}` : ''
  return [
    { at: startedAt, text: `${name} ${before.begun}`, tone: 'plain' },
    { at: throughAt, text: `${name}: ${before.over}`, tone: 'good' },
    ...ill,
    { at: deletingAt, text: `${name} is being deleted${illAt ? ': it is remediated' : others}`, tone: 'plain' },
    others ? gone : ends(DELETED.over),
  ]
}

const isFound = (startedAt: Date, found: Date | null): boolean =>
  found !== null && startedAt.getTime() - found.getTime() < FIRST_LOOK_MS

/**
 * What it was at before it went, or failed: of one that nobody foretold anything of, its updaters tell that it was there before, or it is
 * being updated still.
 */
function beforeOf({ state, predicted, updater, updatersDone, wasThere = false }: MachineStory): typeof UPDATED {
  if (predicted?.startsWith('in-place') || updater !== null || updatersDone.length > 0) return UPDATED
  if (state === 'failed' && predicted === null && wasThere) return UPDATED
  return predicted === null ? CREATED : FAILED
}

function illOf(machine: MachineStory): MachineStep[] {
  const { machineName: name, illAt, startedAt } = machine
  if (!illAt) return []
  // The API server gives times in whole seconds.
  const at = startedAt && illAt < startedAt ? startedAt : illAt
  return [{ at, text: `${name} ${illWords(machine)}`, tone: 'bad' }]
}

/** Of one that goes: by that nobody is said to have deleted it. */
function unwellOf({ machineName: name, state, unwell, unwellSince = null }: MachineStory): MachineStep[] {
  if (!unwell || (state !== 'deleting' && state !== 'deleted')) return []
  const text = `${name} was not well from here until it went, as Drydock saw it: ${unwell}`
  return [{ at: unwellSince, text, tone: 'bad' }]
}

function illWords({ illBy }: MachineStory): string {
  if (illBy === REMEDIATE) return 'was marked by somebody to be remediated'
  if (illBy === null) return 'was found ill by its health check'
  return `was found ill by ${illBy.includes(', ') ? 'one of the health checks' : 'the health check'} ${illBy}`
}
