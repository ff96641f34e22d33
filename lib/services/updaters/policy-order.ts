import type { Tx } from '@/lib/db/client'
import type { Updater } from '@/lib/db/generated/client'
import { anyPolicySays, rulesFor, type Governed } from '../policies/rules-for'

/**
 * Updaters in the order in which a group's policies want them asked: those that they name first, the others after them, as they
 * are. Throws where policies say something of it and cannot be known.
 */
export async function inPolicyOrder(tx: Tx, updaters: readonly Updater[], group: Governed): Promise<Updater[]> {
  const said = await anyPolicySays(tx, 'updaterOrder')
  return inOrderOf(updaters, said ? (await rulesFor(tx, group)).updaterOrder.value : [])
}

/** Those named first, in that order; the others after them, as they are. */
export function inOrderOf(updaters: readonly Updater[], first: readonly string[]): Updater[] {
  const place = ({ name }: Updater) => (first.includes(name) ? first.indexOf(name) : first.length)
  return updaters.toSorted((a, b) => place(a) - place(b))
}
