import { db } from '@/lib/db/client'
import { names, policy, type canaryClusters } from './canaries'
import type { Held } from './held'

export const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
export const NEWER = { wish: 'version v1.35.0', wishExact: 'version v1.35.0', toVersion: 'v1.35.0' }
export const CONTENT = { wish: 'content x', wishExact: 'x', toVersion: null, fromVersion: null }
/** Its group has the newer one, and begins to move on. */
export const MOVES_ON = { version: 'v1.35.0', rollingOut: true, upToDateReplicas: 0 }

export const changed = ({ change }: Held, data: object) => db().change.update({ where: { id: change.id }, data })

export const newest = ({ change: { groupId } }: Held) =>
  db().change.findFirstOrThrow({ where: { groupId, state: 'waiting' }, orderBy: { detectedAt: 'desc' } })

/** Its group has what was wanted on its one machine. */
export const settled = ({ change: { groupId: id } }: Held, over: object = {}) =>
  db().group.update({
    where: { id },
    data: {
      ...{ version: 'v1.34.1', generation: 2, observedGeneration: 2, rollingOut: false, held: null },
      ...{ desiredReplicas: 1, replicas: 1, upToDateReplicas: 1, availableReplicas: 1, ...over },
    },
  })

/** Something else is found there, in the place of what it wanted. */
export async function another(
  { found }: Pick<ReturnType<typeof canaryClusters>, 'found'>,
  held: Held,
  data: object = {},
): Promise<void> {
  await found(held)
  const { id } = await newest(held)
  await db().change.update({ where: { id }, data: { ...CONTENT, wishedAt: null, ...data } })
}

export const overtaken = (held: Held) => changed(held, { state: 'superseded', finishedAt: new Date() })

/** Who is known is read anew. */
export const known = (ill: Held) => policy({ select: names(ill), reasonRequired: true })

/** All that was wanted there is of another management cluster. */
export async function moved({ change: { groupId } }: Held): Promise<string> {
  const to = { name: `other-${groupId}`, server: 'https://x' }
  const { id: clusterId } = await db().managementCluster.create({ data: to })
  await db().group.update({ where: { id: groupId }, data: { clusterId } })
  await db().change.updateMany({ where: { groupId }, data: { clusterId } })
  return clusterId
}

export async function wantContent(...held: Held[]): Promise<void> {
  const ids = { in: held.map(({ change }) => change.id) }
  await db().change.updateMany({ where: { id: ids }, data: { wish: 'content w', wishExact: 'w', toVersion: null } })
}
