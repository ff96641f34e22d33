import { db } from '@/lib/db/client'
import type { Updater } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'
import type { Governed } from '../policies/rules-for'
import { groupsOf, isFor, UnreadableGroups, type GroupIdentity } from './groups'
import { inPolicyOrder } from './policy-order'

/** The updaters of a management cluster, in the order in which they are asked; those for one group where it is given. */
export async function updatersFor(clusterId: string, group?: GroupIdentity): Promise<Updater[]> {
  const all = await db().updater.findMany({
    where: { OR: [{ clusterId }, { clusterId: null }] },
    orderBy: [{ position: 'asc' }, { createdAt: 'asc' }],
  })
  return group ? ofGroup(all, group) : all
}

export const ofGroup = (updaters: readonly Updater[], group: GroupIdentity): Updater[] =>
  updaters.filter((updater) => isFor(groupsOf(updater), group))

/** The updaters that may be asked about a group, for those who show what would be; or why nobody can be asked. */
export async function askable(
  clusterId: string,
  group: GroupIdentity & Governed,
): Promise<{ updaters: Updater[]; unknown: string | null }> {
  const { updaters, unknown } = askableOf(await updatersFor(clusterId), group)
  return inOrder(updaters, unknown, group)
}

/** In the order that policies want; where that cannot be known, why. */
export async function inOrder(
  updaters: Updater[],
  unknown: string | null,
  group: Governed,
): Promise<{ updaters: Updater[]; unknown: string | null }> {
  try {
    return { updaters: await inPolicyOrder(db(), updaters, group), unknown }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { updaters, unknown: unknown ?? error.message }
  }
}

/** Those of them. */
export function askableOf(all: Updater[], group: GroupIdentity): { updaters: Updater[]; unknown: string | null } {
  try {
    return { updaters: ofGroup(all, group), unknown: null }
  } catch (error) {
    if (!(error instanceof UnreadableGroups)) throw error
    return { updaters: all, unknown: error.message }
  }
}
