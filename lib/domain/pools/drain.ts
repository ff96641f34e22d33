import { conditionOf, type Condition } from '../skew/types'

/** A pod that keeps a node from being drained. `budget`: a PodDisruptionBudget refuses; `slow`: it was told to end and has not. */
export interface Holdout {
  namespace: string
  pod: string
  why: 'budget' | 'evicting' | 'slow' | 'other'
}

export interface DrainWait {
  /** In one sentence; "Draining." where nothing is wrong yet. */
  sentence: string
  /** What to do, where there is something. */
  hint: string | null
  holdouts: Holdout[]
  /** A try failed. So it stays while it is tried again: what went wrong is not over before it has succeeded. */
  failing: boolean
  /** The operator's own words on the last try that failed; null: none did. */
  words: string | null
  /** At the latest then it was begun; the condition's own time is that of the newest try. */
  since: string | null
}

/** The controller tries every minute, after 10 minutes every 5; after an hour the daemon calls the node degraded (pkg/controller/drain, pkg/daemon/drain.go). */
export const DRAIN_SLOW_MINUTES = 10

const FAILED = /has not succeeded|^error\b/i
const EVICTING = /evicting pods?\/"?([a-z0-9.-]+)"? -n "?([a-z0-9-]+)"?[^:]*:?\s*([^,\]]*)/gi
const TERMINATING = /waiting for pod "([a-z0-9.-]+)" in namespace "([a-z0-9-]+)"/gi
const NAMED = /\bpod ([a-z0-9-]+)\/([a-z0-9.-]+)/gi

/**
 * Why a drain waits, of what the drain controller says of it. Null: the node is not being drained. `failed`: what it said of the last try
 * that failed, as it was last found; while it tries again it says only that it drains.
 */
export function drainOf(
  conditions: readonly Condition[] | null,
  draining: boolean,
  failed: string | null = null,
): DrainWait | null {
  const drained = conditionOf([...(conditions ?? [])], 'Drained')
  const running = drained?.status === 'Unknown'
  if (!running && !draining) return null
  const said = running ? (drained.message ?? '') : ''
  const words = FAILED.test(said) ? said : drained?.status === 'True' ? null : failed
  const since = begin(conditions ?? [], drained)
  if (words === null)
    return { sentence: 'Its pods are being moved away.', hint: null, holdouts: [], failing: false, words, since }
  const holdouts = holdoutsIn(words)
  return { ...told(holdouts), holdouts, failing: true, words, since }
}

/** Cordoning comes right before and is said once; what is said of draining is said anew with each try. */
function begin(conditions: readonly Condition[], drained: Condition | undefined): string | null {
  const cordoned = conditionOf([...conditions], 'Cordoned')
  const times = [cordoned?.status === 'True' ? cordoned.lastTransitionTime : undefined, drained?.lastTransitionTime]
  return times.filter((time) => time !== undefined).sort()[0] ?? null
}

function holdoutsIn(words: string): Holdout[] {
  const found = new Map<string, Holdout>()
  const add = (namespace: string, pod: string, why: Holdout['why']) => {
    const key = `${namespace}/${pod}`
    if (!found.has(key)) found.set(key, { namespace, pod, why })
  }
  for (const [, pod, namespace, rest] of words.matchAll(EVICTING))
    add(namespace!, pod!, /disruption budget/i.test(rest!) ? 'budget' : 'evicting')
  for (const [, pod, namespace] of words.matchAll(TERMINATING)) add(namespace!, pod!, 'slow')
  for (const [, namespace, pod] of words.matchAll(NAMED))
    add(namespace!, pod!, /disruption budget/i.test(words) ? 'budget' : 'other')
  return [...found.values()]
}

function told(holdouts: readonly Holdout[]): Pick<DrainWait, 'sentence' | 'hint'> {
  const [first] = holdouts
  if (!first)
    return {
      sentence: 'Its drain has not succeeded; it is tried again.',
      hint: 'Read the operator’s own words below, and the log of machine-config-controller.',
    }
  const others = holdouts.length - 1
  const pod = `${first.namespace}/${first.pod}${others ? ` and ${others} ${others === 1 ? 'other' : 'others'}` : ''}`
  const one = others === 0
  const sentences: Record<Holdout['why'], [string, string]> = {
    budget: [
      `A disruption budget keeps ${pod} where ${one ? 'it is' : 'they are'}.`,
      `Make room for ${one ? 'it' : 'them'} elsewhere, or look at the PodDisruptionBudget in ${first.namespace}: as long as it allows no disruption, this node waits.`,
    ],
    evicting: [
      `${pod} could not be moved away in time.`,
      `Most often a PodDisruptionBudget in ${first.namespace} allows no disruption now; see whether its other pods are ready.`,
    ],
    slow: [
      `${pod} ${one ? 'was' : 'were'} told to end and ${one ? 'is' : 'are'} still there.`,
      'Look at its grace period, its finalizers and whether its container ends on SIGTERM.',
    ],
    other: [`${pod} could not be moved away.`, 'Read the operator’s own words below.'],
  }
  const [sentence, hint] = sentences[first.why]
  return { sentence, hint }
}
