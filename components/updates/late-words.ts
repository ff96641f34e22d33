import type { LateHold } from '@/lib/services/changes/late-hold'

const machines = (n: number): string => (n === 1 ? '1 machine' : `${n} machines`)
const is = (n: number): string => (n === 1 ? 'is' : 'are')

/**
 * What had begun of a change before Drydock saw it and paused its group, and what becomes of that. The pause stops the manager
 * of the group alone: machine sets and machines go on with what they were told. What was deleted by then the number shows, and which
 * it was only where no more are gone than that.
 */
export function lateWords(groupKind: string, late: LateHold): string[] {
  const { wanted, before, there, coming, updating, deleting, gone } = late
  const words = ['It was paused only after it had been stored.']
  const missing = Math.max(0, wanted - before)
  if (there + coming + updating + deleting + missing === 0) return [...words, noneWords(before)]
  if (there > 0)
    words.push(`${machines(there)} ${is(there)} as it wants already, and ${there === 1 ? 'stays' : 'stay'} so.`)
  if (coming > 0) words.push(`${machines(coming)} ${is(coming)} being made, and will be finished.`)
  if (updating > 0)
    words.push(`${machines(updating)} ${is(updating)} being updated in place, which goes on to its end.`)
  if (deleting > 0)
    words.push(
      groupKind === 'KubeadmControlPlane'
        ? `${machines(deleting)} ${is(deleting)} being deleted: that ends only when the group is let go, because its paused manager has to take the etcd member away.`
        : `${machines(deleting)} ${is(deleting)} being deleted, which goes on.`,
    )
  if (missing > 0)
    words.push(
      `${machines(wanted)} ${is(wanted)} wanted, and of those from before ${before === 0 ? 'none is' : `${before} ${is(before)}`} there: ${missing} may have been deleted by it already${namesOf(gone, missing)}.`,
    )
  return [...words, 'Nothing else begins.']
}

/** More of them that are gone than are missing: somebody deleted some, and others came for those. */
function namesOf(gone: readonly string[], missing: number): string {
  if (gone.length === 0 || gone.length > missing) return ''
  const shown = gone.slice(0, MOST_NAMES).join(', ')
  return gone.length === missing && gone.length <= MOST_NAMES ? ` (${shown})` : ` (${shown} among them)`
}
const MOST_NAMES = 5

/** Never that none has begun: one may have been deleted while fewer were wanted as well, or be told to go. */
function noneWords(before: number): string {
  if (before === 0) return 'The group has no machines.'
  return before === 1
    ? 'Its machine from before is there: as far as that shows, it has not begun.'
    : `All ${before} machines from before are there: as far as that shows, none has begun.`
}
