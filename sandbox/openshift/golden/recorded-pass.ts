import { passCounts } from '../../../lib/domain/boot-images/counts'
import { errorsBySet } from '../../../lib/domain/boot-images/errors'
import {
  DEGRADED,
  halfPass,
  PROGRESSING,
  recordAfter,
  type PassStats,
  type Stats,
  type Step,
} from '../../../lib/domain/boot-images/pass'
import type { BootImage, ImageSet, Outcome } from '../../../lib/domain/boot-images/types'
import type { JsonObject } from '../../../lib/domain/json'
import { text } from '../../../lib/providers/openshift/loose'
import { afterStep } from '../controllers/conditions'
import { NAMES_CRASH } from './compare'
import { operatorWrite } from './recorded-operator'
import { WRITTEN_BACK, type Course, type RecordedEvent, type Said, type Seen } from './sequences'
import { differs, type Difference, type Exception } from './table'
import { causeOfError } from './words'

const LIMIT = 3

const saidIn = (event: RecordedEvent | undefined): Said | undefined =>
  event?.machineConfiguration?.progressing ?? event?.machineConfiguration?.degraded

/** A pass of the boot image controller, write by write, from the event at which the recording first shows it. */
class RecordedPass {
  readonly exceptions = new Set<Exception>()
  private readonly reason: string
  private readonly before: Seen
  /** the set that was patched since the last write of a condition */
  private patched: string | undefined

  constructor(
    private readonly course: Course,
    private readonly events: readonly RecordedEvent[],
    public next: number,
  ) {
    this.reason = saidIn(events[next])?.reason ?? ''
    this.before = course.seen
  }

  play(): Difference | undefined {
    const { owed } = this.course
    owed.delete(this.reason)
    const stats = { sets: statsOf(this.before), planes: planesOf(this.events[this.next] ?? { t: 0 }) }
    for (const step of halfPass('planes', stats, ghosts(stats.planes.total), () => image('unchanged'))) {
      const difference = this.write(step)
      if (difference) return difference
    }
    return this.sets(stats)
  }

  private sets(stats: PassStats): Difference | undefined {
    const refusal = this.peek()
    const text = refusal?.machineConfiguration?.degraded
    const refused = text?.status === 'True' ? errorsIn(text) : undefined
    if (refused !== undefined && !/^\[?error syncing/.test(refused)) {
      if (!/config map|selector|not ready/.test(refused))
        return differs(refused, 'a reason to refuse a pass', 'degraded')
      for (const step of halfPass('sets', stats, [], () => image('unchanged'), refused)) {
        const difference = this.write(step)
        if (difference) return difference
      }
      return undefined
    }
    const outcomes = this.outcomes()
    if (outcomes.length === 0) this.course.written.clear()
    const images: BootImage[] = []
    const decide = ({ replicas: i }: ImageSet): BootImage => {
      images.push(image(outcomes[i] as Outcome))
      return images.at(-1) as BootImage
    }
    for (const step of halfPass('sets', stats, ghosts(outcomes.length), decide)) {
      if (step.kind === 'crash') {
        this.exceptions.add(NAMES_CRASH)
        this.course.owed.clear()
        return undefined
      }
      const difference = this.write(step)
      if (difference) return difference
    }
    return this.refusals(stats) ?? this.record(images)
  }

  /** The next write of a condition in this pass; what others do in between is looked at when its turn comes. */
  private peek(from = this.next): RecordedEvent | undefined {
    const found = this.events.slice(from).find((event) => saidIn(event))
    return saidIn(found)?.reason === this.reason ? found : undefined
  }

  /** What became of each set, by the counters of the writes that follow. Failures are counted at the end only, and stand where they fit. */
  private outcomes(): Outcome[] {
    const first = passCounts(asConditions(this.peek()))
    if (!first || first.reconciled !== 0 || first.skipped !== 0) return []
    const writes = this.events.slice(this.next).filter((event) => saidIn(event))
    const result: Outcome[] = []
    let last = first
    let failed = 0
    let goesOn = false
    let finished = first.total === 0
    for (const event of writes.slice(1)) {
      const said = event.machineConfiguration?.progressing
      goesOn = true
      if (saidIn(event)?.reason !== this.reason) break
      if (!said) {
        failed =
          passCounts(
            asConditions({ t: 0, machineConfiguration: { ...event.machineConfiguration, progressing: first0 } }),
          )?.degraded ?? 0
        break
      }
      const counts = passCounts(asConditions(event))
      if (!counts || counts.total !== first.total) continue
      if (counts.reconciled === 0 && counts.skipped === 0) break
      if (counts.skipped > last.skipped) result.push('skip')
      else if (counts.reconciled > last.reconciled) result.push('unchanged')
      else result.push('error')
      finished = said.status === 'False'
      last = counts
      goesOn = false
    }
    const missing = Math.min(failed, first.total) - result.filter((o) => o === 'error').length
    if (missing > 0)
      result.splice(
        result.at(-1) === 'error' ? result.length : result.length - 1,
        0,
        ...Array<Outcome>(missing).fill('error'),
      )
    // Only what nothing follows was cut off by the end of the process.
    if (!finished && !goesOn && result.length < first.total) result.push('crash')
    const rest = Math.max(0, first.total - result.length)
    return [...result, ...Array<Outcome>(rest).fill('unchanged')].slice(0, first.total)
  }

  /** The event that a write has to be, where it changes anything. */
  private write(step: Step): Difference | undefined {
    if (step.kind !== 'condition') return undefined
    const now = asList(this.course.seen)
    const wanted = afterStep(now, step, this.reason)
    if (!wanted) return undefined
    const between = this.others()
    if (between) return between
    let event = this.events[this.next]
    if (this.isWrittenBack(event)) {
      this.exceptions.add(WRITTEN_BACK)
      this.course.seen = { ...this.course.seen, ...event?.machineConfiguration }
      this.next++
      const difference = this.others()
      if (difference) return difference
      event = this.events[this.next]
    }
    const seen = { ...this.course.seen, ...event?.machineConfiguration }
    const difference = differs(words(asList(seen) ?? []), words(wanted), `t ${event?.t ?? '(the end)'}`)
    if (difference) return difference
    this.course.seen = seen
    this.patched = undefined
    this.next++
    return event && operatorWrite(this.course, { t: event.t, ...rest(event) })
  }

  /** Patches of sets, and what the operator says, between two writes. */
  private others(): Difference | undefined {
    for (let event = this.events[this.next]; event && !saidIn(event); event = this.events[++this.next]) {
      if (event.machineConfiguration && event.machineConfiguration.observedGeneration === undefined) return undefined
      const difference = event.machineSetPatched
        ? this.patch(event.machineSetPatched)
        : operatorWrite(this.course, event)
      if (difference) return difference
    }
    return undefined
  }

  private patch(told: string): Difference | undefined {
    const [, name = told, generation = '0'] = /^(.*) gen (\d+)$/.exec(told) ?? []
    const { written, owed } = this.course
    const last = written.get(name)
    // A set that nobody put back is outdated again for another image.
    const again = last && Number(generation) > last.generation + 1
    if (this.patched !== undefined) return differs(told, 'one patch for each set in turn', 'machineSetPatched')
    if (again && last.times >= LIMIT)
      return differs(told, `${name} is refused: it keeps being put back`, 'machineSetPatched')
    this.patched = name
    written.set(name, { generation: Number(generation), times: again ? last.times + 1 : 1 })
    owed.add('MAPIMachineSetUpdated')
    return undefined
  }

  private isWrittenBack(event: RecordedEvent | undefined): boolean {
    const said = event?.machineConfiguration?.progressing
    const following = this.peek(this.next + 1)?.machineConfiguration?.progressing
    const total = (s: Said | undefined) => s && passCounts([{ type: PROGRESSING, ...s }])?.total
    return (
      said !== undefined &&
      said.message === this.before.progressing?.message &&
      said.status === this.before.progressing.status &&
      said.reason === this.before.progressing.reason &&
      total(said) !== total(this.course.seen.progressing) &&
      total(following) === total(this.course.seen.progressing)
    )
  }

  /** Whoever is refused for putting an image back was written to often enough. */
  private refusals(stats: PassStats): Difference | undefined {
    const errors = errorsBySet(errorsIn(this.course.seen.degraded) ?? '')
    const number = differs(errors.size, stats.sets.errored, 'degraded: sets that fail')
    if (number) return number
    for (const [name, reason] of errors)
      if (causeOfError(reason) === 'hot-loop' && (this.course.written.get(name)?.times ?? 0) < LIMIT)
        return differs(reason, `${name} was not written to ${LIMIT} times in a row`, 'degraded')
    return undefined
  }

  private record(images: BootImage[]): Difference | undefined {
    const between = this.others()
    if (between) return between
    const { seen, known } = this.course
    const event = this.events[this.next]
    const change = event?.machineConfiguration
    const own = change?.skew && change.observedGeneration === undefined ? change.skew : undefined
    known.release ??=
      own && !images.some((i) => i.outcome === 'skip') ? text(own, 'automatic', 'ocpVersion') : undefined
    const mode = text(seen.skew, 'mode') === 'Automatic' ? 'Automatic' : null
    const recorded = recordAfter(images, {
      mode,
      releaseVersion: known.release,
      history: [{ state: 'Completed', version: known.install }],
    })
    const ours = recorded && mode ? { mode, automatic: { ...recorded } } : seen.skew
    const difference = differs(own ?? seen.skew, ours, `recorded at t ${event?.t ?? '(the end)'}`)
    if (difference || !own || !event) return difference
    this.course.seen = { ...seen, skew: own }
    this.course.owed.add('BootImageUpdateConfigurationUpdated')
    this.next++
    return operatorWrite(this.course, { t: event.t, ...rest(event) })
  }
}

const first0: Said = { status: 'False', reason: '', message: 'Reconciled 0 of 0 MAPI MachineSets' }

/** An event without what it says of MachineConfiguration. */
const rest = ({ upgradeable, operatorSyncError }: RecordedEvent) => ({
  ...(upgradeable && { upgradeable }),
  ...(operatorSyncError !== undefined && { operatorSyncError }),
})

const errorsIn = (said: Said | undefined): string | undefined => said?.message.split(' | Error(s): ')[1]

const asConditions = (event: RecordedEvent | undefined) => {
  const { progressing, degraded } = event?.machineConfiguration ?? {}
  return [
    ...(progressing ? [{ type: PROGRESSING, ...progressing }] : []),
    ...(degraded ? [{ type: DEGRADED, ...degraded }] : []),
  ]
}
const asList = (seen: Seen): JsonObject[] | undefined => {
  const list = asConditions({ t: 0, machineConfiguration: seen })
  return list.length ? list : undefined
}

/** The words of errors are compared by their number and causes. */
const words = (list: readonly JsonObject[]): JsonObject =>
  Object.fromEntries(
    list.map((c) => [
      c.type as string,
      {
        status: c.status ?? null,
        reason: c.reason ?? null,
        message: (text(c, 'message') ?? '').split(' | Error(s)')[0] ?? '',
      },
    ]),
  )

const none = (): Stats => ({ total: 0, done: 0, skipped: 0, errored: 0 })

/** Counters of the pass before, as its last words tell them. */
function statsOf(seen: Seen): Stats {
  const counts = passCounts(asConditions({ t: 0, machineConfiguration: seen }))
  if (!counts) return none()
  const { total, reconciled, skipped, degraded } = counts
  return { total, done: reconciled + skipped, skipped, errored: degraded }
}

function planesOf(event: RecordedEvent): Stats {
  const message = event.machineConfiguration?.progressing?.message ?? ''
  const total = Number(/Reconciled \d+ of (\d+) ControlPlaneMachineSets/.exec(message)?.[1] ?? 0)
  return { ...none(), total, done: total }
}

/** Sets whose names nobody tells; `replicas` is their number in turn. */
const ghosts = (total: number): ImageSet[] =>
  Array.from({ length: total }, (_, i) => ({
    kind: 'MachineSet',
    name: `set ${i}`,
    replicas: i,
    labels: {},
    templateLabels: {},
    annotations: {},
    owners: [],
    providerSpec: null,
  }))

const image = (outcome: Outcome): BootImage => ({
  state: 'unknown',
  reason: outcome,
  current: null,
  wanted: null,
  outcome,
  cause: 'none',
})

export function playPass(
  course: Course,
  events: readonly RecordedEvent[],
  at: number,
): { next: number; difference?: Difference; exceptions: Set<Exception> } {
  const pass = new RecordedPass(course, events, at)
  const difference = pass.play()
  // Whatever comes of it, the recording goes on behind this event.
  return { next: Math.max(pass.next, at + 1), exceptions: pass.exceptions, ...(difference && { difference }) }
}
