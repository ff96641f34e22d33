import { db } from '@/lib/db/client'
import type { Updater } from '@/lib/db/generated/client'
import { groupsOf, isFor, UnreadableGroups, type GroupIdentity } from './groups'

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
  group: GroupIdentity,
): Promise<{ updaters: Updater[]; unknown: string | null }> {
  return askableOf(await updatersFor(clusterId), group)
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
