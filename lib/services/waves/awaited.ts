import type { Tx } from '@/lib/db/client'
import { soakOf } from '@/lib/domain/waves'
import { anyPolicySays } from '../policies/rules-for'
import { membership, type Waved } from './membership'
import { newestOf, type Newest } from './newest'
import type { Place } from './place'
import { misplaced, writePlaces, type Found } from './placing'
import { runsNow, type Run } from './runs'

/** Of one management cluster, what waves have to do with it by the policies of this moment. */
export interface Awaited {
  /** Open changes that stand elsewhere than is written with them. */
  places: Found[]
  /** Those that are over, by their ids: waves wait for them, or for them to soak. With their wave, as a Place. */
  over: [id: string, place: string][]
  /** Of those, what is waited for and not only soaks. */
  waited: string[]
}

/**
 * Only the owner of a connected cluster places its changes, so that those of one that does not answer may stand where no policy has
 * them any more. Throws where a policy cannot be read.
 */
export async function awaitedIn(tx: Tx, clusterId: string): Promise<Awaited> {
  const wanted = { clusterId, wish: { not: null } }
  const any = (await anyPolicySays(tx, 'waves')) && (await tx.change.findFirst({ where: wanted, select: { id: true } }))
  if (!any) return { places: [], over: [], waited: [] }
  const found = await membership(tx)
  const runs = await runsNow(tx, () => Promise.resolve(found))
  const of = (one: Waved) => one.groups.filter((group) => group.clusterId === clusterId)
  const newest = await newestOf(
    tx,
    found.waved.flatMap((one) => of(one).map(({ id }) => id)),
  )
  const now = Date.now()
  const over = runs.flatMap((run) => overIn(run, clusterId, now))
  const soaking = found.waved.flatMap((one) => soakingIn({ ...one, groups: of(one) }, newest, now))
  return {
    places: runs.flatMap((run) => misplaced(run, clusterId)),
    over: [...new Map([...soaking, ...over].map(({ id, place }) => [id, JSON.stringify(place)]))],
    waited: over.flatMap(({ id, waits }) => (waits ? [id] : [])),
  }
}

type Over = { id: string; waits: boolean; place: Place }

const placeIn = ({ id, version }: Waved['policy'], name: string, index: number, of: number): Place => ({
  ...{ policyId: id, version, name, index, of },
  ...{ state: 'waits', why: null, opens: null },
})

function overIn({ policy, members, waves, soaks }: Run, clusterId: string, now: number): Over[] {
  return members.flatMap((member) => {
    // What is seen to be through in this moment soaks from now.
    const { before, state, since = now, wave: index } = member
    const soaking = state !== 'open' && since + soaks[index]! > now
    if (member.clusterId !== clusterId || !before || !(state === 'open' || soaking)) return []
    const place = placeIn(policy, waves[index]!.name, index, waves.length)
    return [{ id: before, waits: state === 'open', place }]
  })
}

/** Also where nobody else wants it at this moment: a version comes to others later. */
function soakingIn({ policy, waves, groups }: Waved, newest: ReadonlyMap<string, Newest>, now: number): Over[] {
  return groups.flatMap(({ id: groupId, wave: index }) => {
    const { id = null, state, wish, finishedAt } = newest.get(groupId) ?? {}
    const wave = waves[index]!
    const until = (finishedAt?.getTime() ?? 0) + soakOf(wave)
    if (!id || state !== 'done' || !wish || until <= now) return []
    return [{ id, waits: false, place: placeIn(policy, wave.name, index, waves.length) }]
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
