import type { JsonObject } from '../../../lib/domain/json'
import { operatorWrite, silence, told, type Known } from './recorded-operator'
import { playPass } from './recorded-pass'
import { differs, TableError, type Difference, type Exception, type Played } from './table'

export interface Said {
  status: string
  reason: string
  message: string
}

/** What is known of MachineConfiguration/cluster; an event holds only what changed. */
export interface Seen {
  generation?: number
  observedGeneration?: number
  machineManagers?: JsonObject[] | null
  skew?: JsonObject | null
  progressing?: Said
  degraded?: Said
}

export interface RecordedEvent {
  /** seconds since the step began */
  t: number
  machineConfiguration?: Seen
  upgradeable?: Said
  operatorSyncError?: string
  /** "b-old gen 2" */
  machineSetPatched?: string
}

export interface SequenceStep {
  step: string
  input: string | null
  events: RecordedEvent[]
}

/** Where a recording has what our controllers never do, and why. */
export const WRITTEN_BACK: Exception = {
  name: 'an older status comes back for a moment',
  reason:
    'Two of the operator’s processes write the whole status, one of them an old copy; the sandbox writes what it changes.',
}

/** A recording as far as it was looked at. */
export interface Course {
  seen: Seen
  known: Known
  /** last words about Upgradeable */
  upgradeable?: Said
  /** generations of machine sets: at which the controller wrote last, and how often the same image in a row */
  written: Map<string, { generation: number; times: number }>
  /** reasons of passes that must still come */
  owed: Set<string>
}

const isEvent = (event: unknown): event is RecordedEvent =>
  event !== null && typeof event === 'object' && typeof (event as RecordedEvent).t === 'number'

/**
 * One step of a recording. What people did comes from it, as do the answers of clouds (which set was skipped or failed): every
 * write of the controller and of the operator has to come out of the rules by which the sandbox's controllers write.
 */
export function playSequenceStep(step: SequenceStep, steps: readonly SequenceStep[]): Played {
  if (typeof step?.step !== 'string' || !Array.isArray(step.events) || !step.events.every(isEvent))
    throw new TableError('it has no events')
  const course: Course = { seen: {}, known: told(steps), written: new Map(), owed: new Set() }
  for (const before of steps.slice(0, steps.indexOf(step))) {
    tellRelease(course, before)
    if (!Array.isArray(before?.events)) continue
    const events = before.events.filter(isEvent)
    const start = course.seen
    through(course, events)
    // A step that differs is told as such; the ones behind it begin where it ended.
    course.seen = events.reduce<Seen>((seen, event) => ({ ...seen, ...event.machineConfiguration }), start)
    course.owed.clear()
  }
  tellRelease(course, step)
  const start = { ...course }
  const played = through(course, step.events)
  const difference = played.difference ?? silence(start, step.events)
  return difference ? { id: step.step, difference, exceptions: [] } : { id: step.step, ...played }
}

/** The release of the ConfigMap is in no event: it is told in words. */
function tellRelease({ known }: Course, step: SequenceStep): void {
  const release = /ConfigMap(?: releaseVersion)? (\d+\.\d+\.\d+)/.exec(step?.input ?? '')?.[1]
  if (release) known.release = release
}

function through(course: Course, events: readonly RecordedEvent[]): Pick<Played, 'difference' | 'exceptions'> {
  const exceptions = new Set<Exception>()
  let at = 0
  while (at < events.length) {
    const event = events[at] as RecordedEvent
    const { progressing, degraded } = event.machineConfiguration ?? {}
    if (progressing || degraded) {
      const pass = playPass(course, events, at)
      for (const exception of pass.exceptions) exceptions.add(exception)
      if (pass.difference) return { difference: pass.difference, exceptions: [] }
      at = pass.next
      continue
    }
    const difference = outside(course, event)
    if (difference) return { difference, exceptions: [] }
    at++
  }
  const [owed] = course.owed
  if (owed !== undefined && !exceptions.size)
    return { difference: differs('(the step ends)', `a pass because of ${owed}`, 'the end'), exceptions: [] }
  return { exceptions: [...exceptions] }
}

/** Whatever is no write of the boot image controller in a pass. */
function outside(course: Course, event: RecordedEvent): Difference | undefined {
  if (event.machineSetPatched) {
    // Somebody else wrote the set, which asks for a pass.
    course.owed.add('MAPIMachineSetUpdated')
    return undefined
  }
  return operatorWrite(course, event)
}
