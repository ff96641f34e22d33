import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { RevisionPair } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { DELETE_MARK } from '@/lib/providers/cluster-api'
import type { Compared, ObjectSource } from '@/lib/providers/cluster-api/changes'

type Looked = Pick<Change, 'clusterId' | 'groupKind' | 'groupName' | 'namespace'>

/**
 * Whether a machine became certain to be replaced since it was looked at, right before it is released: marked, or without
 * what is compared. Cluster API asks nobody about such a machine. Replacing, all but those that have it already are replaced anyway.
 * Null: none did.
 */
export async function certainByNow(
  { mode, change }: { mode: string; change: Looked },
  { group, source }: { group: KubeObject; source: Pick<ObjectSource, 'machines'> },
  now: readonly Compared[],
  before: readonly RevisionPair[],
): Promise<string | null> {
  const inPlace = mode === 'in-place'
  const certain = new Set(before.filter((pair) => pair.certainReplace).map(({ from }) => from))
  const found = now.find(({ pair }) => inPlace && pair.certainReplace && !pair.later && !certain.has(pair.from))?.pair
  if (found) return refused(`${found.from} would be replaced by now: ${found.certainReplace}`)
  const marked = change.groupKind === 'KubeadmControlPlane' ? await markedSince(change, group, source, now) : undefined
  return marked
    ? refused(`${marked} would be deleted by now: it is what is wanted, and marked (${DELETE_MARK}): it goes first.`)
    : null
}

const refused = (why: string): string => `${why} Nothing was released: look at it again and decide anew.`

/** One that is up to date is no part of what changes, and goes all the same as soon as the control plane rolls out. */
async function markedSince(
  { clusterId, groupKind, groupName, namespace }: Looked,
  group: KubeObject,
  source: Pick<ObjectSource, 'machines'>,
  now: readonly Compared[],
): Promise<string | undefined> {
  const outdated = new Set(now.map(({ pair }) => pair.from))
  // The verdict is written with what is said of the change; that it is marked, its row says sooner.
  const where = { clusterId, groupKind, groupName, namespace, verdict: { in: ['replace', 'blocked'] } }
  const known = new Set((await db().machine.findMany({ where, select: { name: true } })).map(({ name }) => name))
  const isNew = ({ metadata: { name, annotations, deletionTimestamp } }: KubeObject): boolean =>
    DELETE_MARK in (annotations ?? {}) && !deletionTimestamp && !outdated.has(name) && !known.has(name)
  return (await source.machines(group)).find(isNew)?.metadata.name
}
