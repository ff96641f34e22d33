import { db } from '@/lib/db/client'
import { OPEN } from '../changes/states'
import { saysOf } from '../waves/keep-places'
import { membership } from '../waves/membership'
import { placeOf } from '../waves/place'
import { runsNow } from '../waves/runs'
import { policiesNaming } from './policies-naming'

/** What policies have to do with a cluster that is to be disconnected: those that name it, and those whose waves wait for it. */
export const policyWords = async ({ id, name }: { id: string; name: string }): Promise<string[]> => [
  ...(await namedWords(name)),
  ...(await wavesWords(id)),
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
async function wavesWords(clusterId: string): Promise<string[]> {
  const placed = await db().change.findMany({
    where: { clusterId, wish: { not: null }, state: { in: OPEN } },
    select: { groupId: true, wave: true },
  })
  const before = placed.flatMap(({ groupId, wave }) => {
    const place = placeOf(wave)
    return place ? [[groupId, place.name] as const] : []
  })
  const waits = new Map([...before, ...(await openNow(clusterId))])
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

/** Of groups that any run waits for, in which wave. Throws where a policy cannot be read. */
async function openNow(clusterId: string): Promise<(readonly [string, string])[]> {
  if (!(await saysOf(db(), clusterId))) return []
  const now = await membership(db())
  const runs = await runsNow(db(), () => Promise.resolve(now))
  return runs.flatMap(({ members, waves }) =>
    members.flatMap(({ id, state, wave }) => (state === 'open' ? [[id, waves[wave]!.name] as const] : [])),
  )
}
