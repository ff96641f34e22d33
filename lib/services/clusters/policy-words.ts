import { db } from '@/lib/db/client'
import { OPEN } from '../changes/states'
import { awaitedIn } from '../waves/awaited'
import { placeOf } from '../waves/place'
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

/** What is not through in its wave is not through by a disconnect either; by the waves of now, whoever placed it, or nobody. */
async function wavesWords(clusterId: string): Promise<string[]> {
  const { places, over, waited } = await awaitedIn(db(), clusterId)
  const changes = await db().change.findMany({
    where: { clusterId, wish: { not: null }, OR: [{ state: { in: OPEN } }, { id: { in: waited } }] },
    select: { id: true, namespace: true, groupName: true, wave: true },
    orderBy: [{ namespace: 'asc' }, { groupName: 'asc' }],
  })
  const now = new Map([...places, ...over].map(([id, place]) => [id, JSON.parse(place) as unknown]))
  const inWaves = changes.flatMap(({ id, namespace, groupName, wave }) => {
    const place = placeOf(now.get(id) ?? wave)
    return place ? [`${namespace}/${groupName} (${place.name})`] : []
  })
  if (inWaves.length === 0) return []
  const more = inWaves.length > MOST_NAMED ? ` and ${inWaves.length - MOST_NAMED} more` : ''
  return [
    `In a wave, and not through: ${inWaves.slice(0, MOST_NAMED).join(', ')}${more}. What waits for that goes on waiting, until the cluster is connected again and it is through, or somebody has the waves not wait for it.`,
  ]
}
