import { db } from '@/lib/db/client'
import { OPEN } from '../changes/states'
import { saysOf } from '../waves/keep-places'
import { membership, type Membership } from '../waves/membership'
import { placeOf } from '../waves/place'
import { runsNow } from '../waves/runs'
import { mayBeFor } from '../waves/where'
import { policiesNaming } from './policies-naming'

/** What policies have to do with a cluster that is to be disconnected: those that name it, and those whose waves wait for it. */
export const policyWords = async ({ id, name }: { id: string; name: string }): Promise<string[]> => [
  ...(await namedWords(name)),
  ...(await wavesWords(id, name)),
]

const AGAIN = 'only once it is connected again under that name.'

async function namedWords(cluster: string): Promise<string[]> {
  const policies = await policiesNaming(db(), cluster)
  const said = (those: typeof policies, one: string, more: string): string[] => {
    const names = those.map(({ name }) => name).join(', ')
    return those.length === 0
      ? []
      : [`${those.length === 1 ? `The policy ${names} ${one}` : `The policies ${names} ${more}`} ${AGAIN}`]
  }
  return [
    ...said(
      policies.filter(({ selects }) => selects),
      'selects it by its name: it holds for it again',
      'select it by its name: they hold for it again',
    ),
    ...said(
      policies.filter(({ selects }) => !selects),
      'names it in its waves: it is in these again',
      'name it in their waves: it is in these again',
    ),
  ]
}

const MOST_NAMED = 3

/** What is not through in its wave is not through by a disconnect either; by the waves of now, whoever placed it, or by which it was placed before. */
async function wavesWords(clusterId: string, cluster: string): Promise<string[]> {
  if (!(await saysOf(db(), clusterId))) return []
  const now = await membership(db())
  const waits = new Map([...(await placedBefore(clusterId, cluster, now)), ...(await openNow(now))])
  const groups = await db().group.findMany({
    where: { clusterId, id: { in: [...waits.keys()] } },
    select: { id: true, namespace: true, name: true },
    orderBy: [{ namespace: 'asc' }, { name: 'asc' }],
  })
  if (groups.length === 0) return []
  const named = groups.slice(0, MOST_NAMED).map(({ id, namespace, name }) => `${namespace}/${name} (${waits.get(id)})`)
  const more = groups.length > MOST_NAMED ? ` and ${groups.length - MOST_NAMED} more` : ''
  return [
    `In a wave, and not through: ${named.join(', ')}${more}. What waits for that goes on waiting, until the cluster is connected again and it is through, or somebody has the waves not wait for it.`,
  ]
}

type InWave = readonly [groupId: string, wave: string]

/** Where its groups were placed, where any policy that has waves may be for them still. */
async function placedBefore(clusterId: string, cluster: string, { placing }: Membership): Promise<InWave[]> {
  const placed = await db().change.findMany({
    where: { clusterId, wish: { not: null }, state: { in: OPEN } },
    select: { groupId: true, wave: true, workloadCluster: true, namespace: true, groupKind: true, groupName: true },
  })
  return placed.flatMap(({ groupId, wave, groupKind: kind, groupName: name, ...group }): InWave[] => {
    const place = placeOf(wave)
    const known = { cluster, kind, name, ...group }
    return place && [...placing.values()].some((select) => mayBeFor(select, known)) ? [[groupId, place.name]] : []
  })
}

/** Of groups that any run waits for, in which wave. */
async function openNow(now: Membership): Promise<InWave[]> {
  const runs = await runsNow(db(), () => Promise.resolve(now))
  return runs.flatMap(({ members, waves }) =>
    members.flatMap(({ id, state, wave }) => (state === 'open' ? [[id, waves[wave]!.name] as const] : [])),
  )
}
