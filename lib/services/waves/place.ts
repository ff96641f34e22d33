import type { WaveState } from '@/lib/domain/waves'

/** Where a change stands in the waves of its policy, as the worker last found it; kept with the change. */
export interface Place {
  policyId: string
  /** Version of the policy: by another one it is not known. */
  version: number
  /** Name of its wave, which one it is, of how many. */
  name: string
  index: number
  of: number
  /** stopped: somebody stopped the run, and what is under way is held as well. */
  state: 'open' | 'waits' | 'stopped'
  why: string | null
  /** Who stopped the run. */
  stoppedBy?: string
  opens: string | null
  /** It waits for nothing but somebody who says that it begins. */
  asksPerson?: true
  /** Now or then, somebody has to say that it begins. */
  asksThen?: true
  /** What it waits for does not come by itself. */
  needsPerson?: true
  /** It has begun, and goes on, though its wave waits: it had begun before there was any, or before that was shut again. */
  notYet?: true
}

/** Null: it is not known. */
export const placeOf = (wave: unknown): Place | null =>
  typeof wave === 'object' && wave !== null && !Array.isArray(wave) ? (wave as Place) : null

/** What machines have begun goes on whatever its wave, unless somebody stopped the run. */
export function placed(
  run: { policy: { id: string; version: number }; stopped: { by: string; words: string } | null },
  waves: readonly WaveState[],
  index: number,
  { moved }: { moved: boolean },
): Place {
  const wave = waves[index]!
  const waits = wave.state === 'waits' && !moved
  return {
    ...{ policyId: run.policy.id, version: run.policy.version, name: wave.name, index, of: waves.length },
    state: run.stopped ? 'stopped' : waits ? 'waits' : 'open',
    why: run.stopped ? run.stopped.words : waits ? (wave.why ?? null) : null,
    ...(run.stopped ? { stoppedBy: run.stopped.by } : {}),
    ...(!run.stopped && waits && wave.asksPerson ? { asksPerson: true } : {}),
    ...(!run.stopped && waits && wave.asksThen ? { asksThen: true } : {}),
    ...(!run.stopped && waits && wave.needsPerson ? { needsPerson: true } : {}),
    ...(!run.stopped && moved && wave.state === 'waits' ? { notYet: true } : {}),
    opens: !run.stopped && waits && wave.opensAt !== undefined ? new Date(wave.opensAt).toISOString() : null,
  }
}

export const samePlace = (a: Place | null, b: Place): boolean =>
  a !== null &&
  a.policyId === b.policyId &&
  a.version === b.version &&
  a.name === b.name &&
  a.index === b.index &&
  a.of === b.of &&
  a.state === b.state &&
  a.why === b.why &&
  a.stoppedBy === b.stoppedBy &&
  a.opens === b.opens &&
  a.asksPerson === b.asksPerson &&
  a.asksThen === b.asksThen &&
  a.needsPerson === b.needsPerson &&
  a.notYet === b.notYet
