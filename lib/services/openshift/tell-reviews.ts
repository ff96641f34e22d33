import { CLUSTERS } from '@/lib/db/queries/boot-image-where'
import { POOL_REVIEW } from '@/lib/db/queries/pool-review'
import { db, pool, type Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { poolKind } from './kinds/pool'
import { skewKind } from './kinds/skew'

interface Due {
  actionId: string
  clusterId: string
  cluster: string
  reviewAt: Date
  /** Of a pool its id and its name. */
  poolId?: string
  pool?: string
}

const SKEW_DUE = `SELECT w.id AS "actionId", c.id AS "clusterId", c.name AS cluster, w.review_at AS "reviewAt"
  FROM ${CLUSTERS} WHERE w.review_at <= $1 AND w.review_told_at IS NULL ORDER BY w.review_at LIMIT 200`
const POOLS_DUE = `SELECT w.id AS "actionId", c.id AS "clusterId", c.name AS cluster, w.review_at AS "reviewAt", p.id AS "poolId", p.name AS pool
  FROM config_pool p JOIN management_cluster c ON c.id = p.cluster_id ${POOL_REVIEW}
  WHERE w.review_at <= $1 AND w.review_told_at IS NULL ORDER BY w.review_at LIMIT 200`
const FLAGGED = `SELECT cluster_id AS "clusterId", c.name AS cluster, o.flagged_why AS why
  FROM openshift_cluster o JOIN management_cluster c ON c.id = o.cluster_id
  WHERE o.flagged_why IS NOT NULL AND o.flagged_told IS NULL LIMIT 200`

/**
 * What was decided until a date that has come, and acknowledgements that the evidence speaks against: each goes on record
 * once, and is a message where messages go anywhere. What does not stand any more is not told. Any worker may do it.
 */
export async function tellReviews(now: Date): Promise<void> {
  const [skew, pools] = await Promise.all([pool().query<Due>(SKEW_DUE, [now]), pool().query<Due>(POOLS_DUE, [now])])
  for (const due of [...skew.rows, ...pools.rows]) await db().$transaction((tx) => tellDue(tx, due, now))
  // Supported again, and against it anew, is told anew.
  await db().openShiftCluster.updateMany({
    where: { flaggedWhy: null, flaggedTold: { not: null } },
    data: { flaggedTold: null },
  })
  const { rows } = await pool().query<{ clusterId: string; cluster: string; why: string }>(FLAGGED)
  for (const flagged of rows) await db().$transaction((tx) => tellFlagged(tx, flagged))
}

async function tellDue(tx: Tx, due: Due, now: Date): Promise<void> {
  const { actionId, clusterId, cluster, reviewAt, poolId, pool: name } = due
  const { count } = await tx.openShiftAction.updateMany({
    where: { id: actionId, reviewToldAt: null },
    data: { reviewToldAt: now },
  })
  if (count === 0) return
  const kind = name === undefined ? skewKind : poolKind
  await announce(tx, { topic: kind.topic, cluster: clusterId, ids: [actionId] })
  await recordAudit(tx, systemCtx('reviews'), {
    action: `${kind.audit}.review-due`,
    target: { kind: kind.objectKind, id: actionId, name: name ?? 'cluster' },
    cluster: { id: clusterId, name: cluster },
    details: { since: reviewAt.toISOString(), ...(name && { pool: name }) },
    message: {
      what: name === undefined ? `the boot images of ${cluster}` : `the pool ${name} of ${cluster}`,
      path: poolId ? `/pools/${poolId}` : `/boot-images/${clusterId}`,
    },
  })
}

async function tellFlagged(tx: Tx, { clusterId, cluster, why }: { clusterId: string; cluster: string; why: string }) {
  const { count } = await tx.openShiftCluster.updateMany({
    where: { clusterId, flaggedTold: null },
    data: { flaggedTold: why },
  })
  if (count === 0) return
  await announce(tx, { topic: skewKind.topic, cluster: clusterId })
  await recordAudit(tx, systemCtx('reviews'), {
    action: `${skewKind.audit}.unsupported`,
    target: { kind: skewKind.objectKind, id: clusterId, name: 'cluster' },
    cluster: { id: clusterId, name: cluster },
    details: { why },
    message: { what: cluster, path: `/boot-images/${clusterId}` },
  })
}
