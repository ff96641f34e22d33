import { installVersion } from '../skew/effective'
import type { HistoryEntry, Managers, Recorded, SkewMode } from '../skew/types'
import { threeParts } from '../skew/version'
import { degradedMessage, earlyMessages, progressingMessage, type PassCounts } from './counts'
import { matches, selectorFor, selectorProblem } from './enrol'
import { compareReleases } from './platforms/marketplace'
import type { BootImage, ImageSet } from './types'

/** Counters of one half of a pass; `done` are those without an error, skipped ones included. */
export interface Stats {
  total: number
  done: number
  skipped: number
  errored: number
}

/** Kept from pass to pass: until its own half begins, a condition is written with the numbers of the pass before. */
export interface PassStats {
  sets: Stats
  planes: Stats
}

const none = (): Stats => ({ total: 0, done: 0, skipped: 0, errored: 0 })
export const noStats = (): PassStats => ({ sets: none(), planes: none() })

export const PROGRESSING = 'BootImageUpdateProgressing'
export const DEGRADED = 'BootImageUpdateDegraded'

export interface ConditionStep {
  kind: 'condition'
  type: typeof PROGRESSING | typeof DEGRADED
  status: 'True' | 'False'
  message: string
}

/** What the controller does next. After `crash` nothing follows: the process is gone, and what it wrote stays. */
export type Step =
  | ConditionStep
  | { kind: 'image'; set: ImageSet; image: BootImage }
  | { kind: 'record'; recorded: Recorded }
  | { kind: 'crash'; set: ImageSet; image: BootImage }

/** Why a pass does not begin; `deferred`: it is left for later without a word, as by an operator that awaits an update's end. */
export function beforePass(
  history: readonly HistoryEntry[],
  generation: number,
  observedGeneration: number,
  awaits: boolean,
): 'deferred' | 'not-ready' | undefined {
  if (generation !== observedGeneration) return 'not-ready'
  return !awaits || history[0]?.state === 'Completed' ? undefined : 'deferred'
}

/** Sets of a kind that are managed, or the operator's reason to refuse the pass over all of them. */
export function enrolledSets<T extends Pick<ImageSet, 'kind' | 'labels'>>(
  managers: Managers,
  kind: ImageSet['kind'],
  sets: readonly T[],
): T[] | { refused: string } {
  const selector = selectorFor(managers, kind)
  if (!selector) return []
  const problem = selectorProblem(selector)
  const what = kind === 'MachineSet' ? 'MAPI machineset' : 'ControlPlaneMachineSet'
  if (problem) return { refused: `failed to create a machineset selector while enqueueing ${what} ${problem}` }
  return sets.filter((set) => set.kind === kind && matches(selector, set.labels) === true)
}

/**
 * One half of a pass of the boot image controller, write by write (syncControlPlaneMachineSets, syncMAPIMachineSets). Writes that
 * change nothing are not left out. `decide` is asked when it is a set's turn; `refused` is why the half ends before it begins;
 * `early`: as operators up to 4.18 put it.
 */
export function* halfPass<T extends ImageSet>(
  half: keyof PassStats,
  stats: PassStats,
  sets: readonly T[],
  decide: (set: T) => BootImage,
  refused?: string,
  early = false,
): Generator<Step, BootImage[]> {
  if (refused !== undefined) {
    yield degraded(stats, early, refused)
    return []
  }
  const own = (stats[half] = { ...none(), total: sets.length })
  const images: BootImage[] = []
  const errors: string[] = []
  yield progressing(stats, early)
  for (const set of sets) {
    const image = decide(set)
    images.push(image)
    if (image.outcome === 'crash') {
      yield { kind: 'crash', set, image }
      return images
    }
    if (image.outcome === 'update') yield { kind: 'image', set, image }
    if (image.outcome === 'error') {
      own.errored++
      errors.push(errorText(half, set.name, image))
    } else own.done++
    if (image.outcome === 'skip') own.skipped++
    yield progressing(stats, early)
  }
  yield degraded(stats, early, errors.length > 1 ? `[${errors.join(', ')}]` : errors[0])
  return images
}

const countsOf = ({ sets, planes }: PassStats, errors: string | null = null): PassCounts => ({
  total: sets.total,
  reconciled: sets.done - sets.skipped,
  skipped: sets.skipped,
  degraded: sets.errored,
  controlPlaneDegraded: planes.errored,
  errors,
})

function progressing(stats: PassStats, early: boolean): Step {
  const { sets, planes } = stats
  const finished = [sets, planes].every((s) => s.total === s.done + s.errored)
  const message = early
    ? earlyMessages(countsOf(stats)).progressing
    : progressingMessage(countsOf(stats), { reconciled: planes.done, total: planes.total })
  return { kind: 'condition', type: PROGRESSING, status: finished ? 'False' : 'True', message }
}

const degraded = (stats: PassStats, early: boolean, errors?: string): Step => ({
  kind: 'condition',
  type: DEGRADED,
  status: errors === undefined ? 'False' : 'True',
  message: early
    ? earlyMessages(countsOf(stats, errors ?? null)).degraded
    : degradedMessage(countsOf(stats, errors ?? null)),
})

function errorText(half: keyof PassStats, name: string, { cause, reason, failure = reason }: BootImage): string {
  const [kind, short] = half === 'sets' ? ['MAPI MachineSet', 'machineset'] : Array(2).fill('ControlPlaneMachineSet')
  const whole = cause === 'hot-loop' || cause === 'bad-arch'
  return `error syncing ${kind} ${name}: ${whole ? '' : `failed to reconcile ${short} ${name}, err: `}${failure}`
}

export interface RecordInput {
  mode: SkewMode | null
  /** The ConfigMap's releaseVersion. */
  releaseVersion: string | undefined
  history: readonly HistoryEntry[]
}

/**
 * What a pass over machine sets records; undefined leaves the record as it is. A clean pass records the release, or with
 * Marketplace images the lowest RHCOS of theirs; one with skipped sets falls back to the version of the installation.
 */
export function recordAfter(images: readonly BootImage[], input: RecordInput): Recorded | undefined {
  const has = (...outcomes: string[]) => images.some((image) => outcomes.includes(image.outcome))
  if (input.mode !== 'Automatic' || has('error', 'crash')) return undefined
  if (has('skip')) return { ocpVersion: installVersion(input.history) }
  const [rhcosVersion] = lowestReleases(images)
  if (rhcosVersion) return { rhcosVersion }
  const ocpVersion = threeParts(input.releaseVersion ?? '')
  return ocpVersion === undefined ? undefined : { ocpVersion }
}

/** Lowest RHCOS releases of the Marketplace images in use. Those with the same first two numbers are the same to the operator: it keeps the first that it comes to. */
export function lowestReleases(images: readonly BootImage[]): string[] {
  const all = images.flatMap((image) => image.records ?? [])
  return all.filter((release) => all.every((other) => compareReleases(release, other) <= 0))
}
