import type { LateHold } from '@/lib/services/changes/late-hold'

const machines = (n: number): string => (n === 1 ? '1 machine' : `${n} machines`)
const is = (n: number): string => (n === 1 ? 'is' : 'are')

/**
 * What had begun of a change before Drydock saw it and paused its group, and what becomes of that. The pause stops the manager
 * of the group alone: machine sets and machines go on with what they were told.
 */
export function lateWords(groupKind: string, { there, coming, updating, deleting }: LateHold): string[] {
  const words = ['It was paused only after it had been stored.']
  if (there + coming + updating + deleting === 0) return [...words, 'No machine has begun.']
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
  return [...words, 'Nothing else begins.']
}
