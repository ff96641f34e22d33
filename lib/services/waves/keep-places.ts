import type { Tx } from '@/lib/db/client'
import { anyPolicySays } from '../policies/rules-for'
import { lastPlaces } from './last-places'
import { membership } from './membership'
import { newestOf } from './newest'
import type { Place } from './place'
import { staysIn } from './where'

/** A change that is over, or is to be over with that. */
type Found = [changeId: string, place: string]

/**
 * Where the groups of a management cluster are by the policies of this moment: only the owner of a connected cluster places its
 * changes, and only those that are open. Throws where a policy cannot be read.
 */
export async function placesIn(tx: Tx, clusterId: string): Promise<Found[]> {
  if (!(await saysOf(tx, clusterId))) return []
  const { waved } = await membership(tx)
  const mine = waved.flatMap((one) =>
    one.groups.flatMap((group) => (group.clusterId === clusterId ? [{ one, group }] : [])),
  )
  const newest = await newestOf(
    tx,
    mine.map(({ group }) => group.id),
  )
  const places = await lastPlaces(tx, newest, newest.keys())
  return mine.flatMap(({ one, group }): Found[] => {
    const row = newest.get(group.id)
    if (!row?.id) return []
    const { policy, waves } = one
    const index = staysIn(one, group.wave, places.get(group.id))
    const place: Place = {
      ...{ policyId: policy.id, version: policy.version, name: waves[index]!.name, index, of: waves.length },
      ...{ state: 'waits', why: null, opens: null },
    }
    return [[row.id, JSON.stringify(place)]]
  })
}

/** Whether waves have anything to do with a management cluster. */
export const saysOf = async (tx: Tx, clusterId: string): Promise<boolean> =>
  (await anyPolicySays(tx, 'waves')) &&
  (await tx.change.findFirst({ where: { clusterId, wish: { not: null } }, select: { id: true } })) !== null

const KEEP = `
UPDATE change SET wave = found.wave FROM unnest($1::uuid[], $2::jsonb[]) AS found (id, wave)
WHERE change.id = found.id AND (change.wave->>'policyId' IS DISTINCT FROM found.wave->>'policyId' OR change.wave->>'name' IS DISTINCT FROM found.wave->>'name')`

/** As its cluster is disconnected: from then on nobody knows. Its open changes are locked. */
export async function keepPlaces(tx: Tx, found: readonly Found[]): Promise<void> {
  const sorted = found.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const [ids, places] = [sorted.map(([id]) => id), sorted.map(([, place]) => place)]
  if (sorted.length > 0) await tx.$executeRawUnsafe(KEEP, ids, places)
}
