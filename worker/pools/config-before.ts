import { db } from '@/lib/db/client'
import { rolloutDigest, sameButImage } from '@/lib/domain/latch/digest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { letGoOf } from '@/lib/services/changes/let-go'

/** What a pool was let go with last: only its digest is kept; its name is among those that its row and its changes have. */
export async function configBefore(clusterId: string, pool: KubeObject): Promise<string | null> {
  const { uid } = pool.metadata
  const [letGo, row, changes] = await Promise.all([
    letGoOf(clusterId, uid),
    db().configPool.findUnique({ where: { id: uid }, select: { currentConfig: true, desiredConfig: true } }),
    db().change.findMany({
      where: { clusterId, groupId: uid },
      ...{ orderBy: { detectedAt: 'desc' }, take: MOST, select: { outlook: true } },
    }),
  ])
  const brought = changes.map(({ outlook }) => (outlook as { pool?: { config?: string } } | null)?.pool?.config ?? null)
  const names = [row?.currentConfig ?? null, row?.desiredConfig ?? null, ...brought]
  const isIt = (name: string) => {
    const then = rolloutDigest({ ...pool, spec: { ...pool.spec, configuration: { name } } })
    return then !== null && (then === letGo || sameButImage(then, letGo ?? ''))
  }
  return names.find((name) => name !== null && isIt(name)) ?? null
}
const MOST = 20
