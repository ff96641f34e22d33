import type { Condition } from '../skew/types'

/** `failed`: still Unknown, with a message that says it went wrong; it is tried again. `skipped`: later steps were reported, this one was not. */
export type StepState = 'done' | 'running' | 'failed' | 'skipped' | 'ahead'

export interface Step {
  type: StepType
  label: string
  state: StepState
  /** The operator's own words. */
  message: string | null
  /** When it last said so; it says so anew with every try. */
  since: string | null
}

/**
 * The order in which a node goes through an update: leaves only, since their parents (UpdateExecuted, UpdateComplete)
 * say the same again. A condition is False before its turn, Unknown while it runs or fails, True when it is done, and all
 * are False again once Updated is True (pkg/upgrademonitor).
 */
const ORDER = [
  ['UpdatePrepared', 'Checked'],
  ['ImagePulledFromRegistry', 'Image pulled'],
  ['Cordoned', 'Cordoned'],
  ['Drained', 'Drained'],
  ['AppliedFilesAndOS', 'Written'],
  ['AppliedFiles', 'Files written'],
  ['AppliedOSImage', 'OS written'],
  ['UpdatePostActionComplete', 'Reloaded'],
  ['RebootedNode', 'Rebooted'],
  ['Resumed', 'Resumed'],
  ['Uncordoned', 'Uncordoned'],
] as const
export type StepType = (typeof ORDER)[number][0]

/** While it runs, in a sentence: "Draining since …". */
const RUNNING: Record<StepType, string> = {
  UpdatePrepared: 'checking whether the configuration can be applied',
  ImagePulledFromRegistry: 'pulling the OS image',
  Cordoned: 'cordoning the node',
  Drained: 'draining the node',
  AppliedFilesAndOS: 'writing files and operating system',
  AppliedFiles: 'writing files',
  AppliedOSImage: 'writing the operating system',
  UpdatePostActionComplete: 'reloading what changed',
  RebootedNode: 'rebooting',
  Resumed: 'taking up work again',
  Uncordoned: 'uncordoning the node',
}
export const runningWords = (type: StepType): string => RUNNING[type]

/** Behind a feature gate: shown where the cluster has them. */
const OPTIONAL: readonly StepType[] = ['ImagePulledFromRegistry', 'AppliedFiles', 'AppliedOSImage']
const FAILED = /^error\b|\bfail(?:ed|ure)?\b|has not succeeded|not compatible/i

/** The steps of the update that is under way; null where the node is in none, or nothing is known of it. */
export function stepsOf(conditions: readonly Condition[] | null): Step[] | null {
  if (!conditions) return null
  const by = new Map(conditions.map((c) => [c.type, c]))
  if (by.get('Updated')?.status === 'True') return null
  const listed = ORDER.filter(([type]) => shown(type, by))
  const furthest = listed.reduce((last, [type], i) => (begun(by.get(type)) ? i : last), -1)
  if (furthest < 0) return null
  return listed.map(([type, label], i) => {
    const condition = by.get(type)
    const state = stateOf(condition, i < furthest)
    const words = state === 'ahead' || state === 'skipped' ? null : (condition?.message ?? null)
    return {
      type,
      label,
      state,
      message: words,
      since: words === null ? null : (condition?.lastTransitionTime ?? null),
    }
  })
}

const begun = (condition: Condition | undefined): boolean =>
  condition?.status === 'Unknown' || condition?.status === 'True'

/** Of a reboot and a reload only the one that happens; until that is known, the reboot, which is what most updates need. */
function shown(type: StepType, by: ReadonlyMap<string, Condition>): boolean {
  if (type === 'UpdatePostActionComplete') return begun(by.get(type))
  if (type === 'RebootedNode') return begun(by.get(type)) || !begun(by.get('UpdatePostActionComplete'))
  if (type === 'AppliedFilesAndOS') return by.has(type) || !by.has('AppliedFiles')
  return !OPTIONAL.includes(type) || by.has(type)
}

function stateOf(condition: Condition | undefined, before: boolean): StepState {
  if (condition?.status === 'True') return 'done'
  if (condition?.status !== 'Unknown') return before ? 'skipped' : 'ahead'
  return FAILED.test(condition.message ?? '') ? 'failed' : 'running'
}

/**
 * The step that a node is at: what failed or runs, the latest first, since drain and uncordon are the controller's and the rest
 * the daemon's; between two steps, the next one.
 */
export function currentStep(steps: readonly Step[] | null): Step | null {
  if (!steps) return null
  const open = [...steps].reverse().find(({ state }) => state === 'failed' || state === 'running')
  return open ?? steps.find(({ state }) => state === 'ahead') ?? steps.at(-1) ?? null
}

/** How much is behind it, of all steps that it takes. */
export function stepsDone(steps: readonly Step[] | null): { done: number; of: number } {
  const counted = (steps ?? []).filter(({ state }) => state !== 'skipped')
  return { done: counted.filter(({ state }) => state === 'done').length, of: counted.length }
}
