import { db } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { rolloutDigest, sameButImage } from '@/lib/domain/latch/digest'
import { POOL } from '@/lib/domain/latch/hold'
import { isSettled } from '@/lib/domain/pools/progress'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { OS_CONFIGS, readBuilt } from '@/lib/providers/openshift/built'
import { readPool } from '@/lib/providers/openshift/pools'
import { UNDER_WAY } from '../changes/states'
import { straysOf } from '../changes/strays'
import { ServiceError } from '../errors'

/**
 * Of a governed pool of which nothing waits: what it wants may have come while nobody watched, and would go unapproved. Null: it is what
 * the pool was let go with, or what is under way, or none of its nodes lacks it.
 */
export async function notLookedAt(
  clusterId: string,
  id: string,
  live: KubeObject,
  client: KubeClient,
): Promise<ServiceError | null> {
  const cluster = { select: { latchForm: true, discovery: true } } as const
  const select = { governed: true, letGo: true, cluster } as const
  const row = await db().group.findUnique({ where: { id, clusterId }, select })
  if (!row?.governed || row.cluster.latchForm === 'none') return null
  const { resources = {} } = (row.cluster.discovery ?? {}) as Partial<Capabilities>
  const object = await readBuilt(client, { ...live, kind: POOL }, resources[OS_CONFIGS])
  const [pool, digest] = [readPool(object), rolloutDigest(object) ?? '']
  const images = await imagesToCome(id, object)
  const underWay = await db().change.findMany({
    where: { clusterId, groupId: id, state: { in: UNDER_WAY } },
    select: { digest: true },
  })
  const known = [row.letGo, ...underWay.map((change) => change.digest)].filter((of) => of !== null)
  const sameConfig = known.some((of) => sameButImage(of, digest))
  if (known.includes(digest) || (sameConfig && images === 0)) return null
  // Whichever node comes to an empty pool takes up what that wants.
  const lackedByNone = isSettled(pool) && (pool.counts.machines > 0 || row.letGo === null)
  if (lackedByNone && images === 0) return null
  return new ServiceError(
    'conflict',
    `${pool.name} is governed, and wants ${sameConfig ? 'an OS image' : 'a configuration'} that Drydock has not looked at yet: resuming would let it go unapproved.`,
    {
      hint: 'It comes to the page Updates when Drydock looks at it, within moments unless no worker of Drydock follows the cluster: approve it there. A pause of your own can be ended then.',
    },
  )
}

/** Nodes that would be told another image; none where one is to be built and is not, or where which one that is may not be read. */
async function imagesToCome(id: string, object: KubeObject): Promise<number> {
  if (object.built === undefined || object.built?.image === null) return 0
  return (await straysOf(id, readPool(object).desiredConfig ?? '', object.built)).images
}
