import type { ClusterView } from '../types'

/** By change: what is looked at to be held, or held, at this moment. */
const underWay = new WeakMap<ClusterView, Map<string, Promise<unknown>>>()

/** Until whoever is at it already has ended; undefined: nobody is. */
export const isHolding = (view: ClusterView, id: string): Promise<unknown> | undefined => underWay.get(view)?.get(id)

/** Rounds leave it alone meanwhile. */
export function holding<T>(view: ClusterView, id: string, hold: () => Promise<T>): Promise<T> {
  const all = underWay.get(view) ?? new Map<string, Promise<unknown>>()
  underWay.set(view, all)
  const held = hold().finally(() => {
    if (all.get(id) === held) all.delete(id)
  })
  all.set(id, held)
  return held
}

/**
 * All at once, and each for itself: one that the API server does not answer about keeps no other one from being held, neither now nor by
 * the next round. Throws where some could not be held, in `words`. `whose`: of whoever holds for a reason of its own, and waits for no
 * other.
 */
export async function holdEach<T extends { id: string }>(
  view: ClusterView,
  changes: readonly T[],
  words: string,
  hold: (change: T, i: number) => Promise<unknown>,
  whose = '',
): Promise<void> {
  const each = changes.flatMap((change, i) =>
    isHolding(view, whose + change.id) ? [] : [holding(view, whose + change.id, () => hold(change, i))],
  )
  const failed = (await Promise.allSettled(each)).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} ${words}: ${String(failed[0])}`)
}
