import { gatesFor, type Capabilities } from '@/lib/domain/capabilities'
import type { GateStatus } from '../gate/status'
import type { LatchStatus } from '../latch/status'

/** Lifecycle hooks with which Cluster API asks before, and tells after, each step of a managed Cluster's upgrade. */
const ASKING = ['BeforeClusterUpgrade', 'BeforeControlPlaneUpgrade', 'BeforeWorkersUpgrade'] as const
export const TELLING = ['AfterControlPlaneUpgrade', 'AfterWorkersUpgrade', 'AfterClusterUpgrade'] as const
export const LIFECYCLE = [...ASKING, ...TELLING] as const

export type Asking = (typeof ASKING)[number]
export type Telling = (typeof TELLING)[number]
export const isAsking = (hook: string): hook is Asking => (ASKING as readonly string[]).includes(hook)
/** What is written down of such a call; by it pages find it again. */
export const toldWords = (version: string | null): string => (version ? `told of ${version}` : 'told')
export const isTelling = (hook: string): hook is Telling => (TELLING as readonly string[]).includes(hook)

interface Managing {
  /** none | policy-v1 | … */
  latchForm: string
  gateState: string
  gateStatus: unknown
}

/** Whether Cluster API asks Drydock before it gives the groups of a managed Cluster another version. */
export function asksBefore(
  { gateState, gateStatus }: Omit<Managing, 'latchForm'>,
  { gates }: Pick<Capabilities, 'gates'>,
): boolean {
  const gate = gateStatus as GateStatus | null
  return (
    gateState === 'registered' && gate?.state === 'ok' && gate.lifecycle === true && gates.runtimeSdk.state === 'on'
  )
}

/** What holds a group that has got another version: `watch` a moment after it has (API servers that can carry no latch). */
export type Holder = 'latch' | 'watch' | 'gate'

/** Null: nothing; it rolls as soon as it has it, as it does without Drydock. */
export function holderOf(
  { latchForm }: Pick<Managing, 'latchForm'>,
  { gates }: Pick<Capabilities, 'gates'>,
  { kind, governed }: { kind: string; governed: boolean },
): Holder | null {
  if (governed && latchForm !== 'none') return latchForm === 'watch' ? 'watch' : 'latch'
  return gatesFor(gates, kind).some(({ state }) => state === 'off') ? null : 'gate'
}

/**
 * Whether the latch surely holds what is written to groups of Cluster API: where its webhook cannot be called, nothing is written at
 * all. Of pools beside them, which may be held otherwise, it says nothing.
 */
export const surelyLatched = (latchStatus: unknown): boolean => notLatchedWords(latchStatus) === null

export const LATCH_UNKNOWN = 'whether the latch is whole is not known now'

/** Why it would perhaps not hold it; null: it surely does. */
export function notLatchedWords(latchStatus: unknown): string | null {
  const { state, parts } = (latchStatus as LatchStatus | null) ?? {}
  // Where it could not be looked at, its parts are what they were.
  const own = state === 'unknown' ? state : (parts?.clusterApi.state ?? state)
  if (own === 'intact' || own === 'unreachable') return null
  if (own === 'unknown') return LATCH_UNKNOWN
  return own === 'untried'
    ? 'whether the latch would hold it could not be tried'
    : 'the latch is not whole, and would not hold it'
}
