import type { Tx } from '@/lib/db/client'
import { membership } from './membership'
import { misplaced, writePlaces, type Found } from './placing'
import { runsNow, type Run } from './runs'

/** Of one management cluster, what waves have to do with it by the policies of this moment. */
export interface Awaited {
  /** Open changes that stand elsewhere than is written with them. */
  places: Found[]
  /** Those that are over, by their ids: waves wait for them, or for them to soak. With their wave, as a Place. */
  over: [id: string, place: string][]
  /** Of those that are waited for: "payments/workers-a (canary)". */
  names: string[]
}

/**
 * Only the owner of a connected cluster places its changes, so that those of one that does not answer may stand where no policy has
 * them any more. Throws where a policy cannot be read.
 */
export async function awaitedIn(tx: Tx, clusterId: string): Promise<Awaited> {
  const runs = await runsNow(tx, membership)
  const over = runs.flatMap((run) => overIn(run, clusterId, Date.now()))
  return {
    places: runs.flatMap((run) => misplaced(run, clusterId)),
    over: over.map(({ id, place }) => [id, JSON.stringify(place)]),
    names: over.flatMap(({ waits, name, place }) => (waits ? [`${name} (${place.name})`] : [])),
  }
}

function overIn({ policy, members, waves, soaks }: Run, clusterId: string, now: number) {
  return members.flatMap((member) => {
    const { before, state, since, wave: index, name } = member
    const soaking = state !== 'open' && since !== undefined && since + soaks[index]! > now
    if (member.clusterId !== clusterId || !before || !(state === 'open' || soaking)) return []
    const place = { policyId: policy.id, version: policy.version, name: waves[index]!.name, index, of: waves.length }
    return [{ id: before, name, waits: state === 'open', place: { ...place, state: 'waits', why: null, opens: null } }]
  })
}

const KEEP = `
UPDATE change SET awaited_at = $3, wave = found.wave FROM unnest($1::uuid[], $2::jsonb[]) AS found (id, wave) WHERE change.id = found.id`

/** As its cluster is disconnected: from then on nobody knows. The open changes are locked. */
export async function keepAwaited(tx: Tx, { places, over }: Awaited, at: Date): Promise<void> {
  // What somebody says of a run meanwhile places it as well: then that stands.
  await writePlaces(tx, places)
  const sorted = over.toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (sorted.length > 0)
    await tx.$executeRawUnsafe(
      KEEP,
      sorted.map(([id]) => id),
      sorted.map(([, place]) => place),
      at,
    )
}
