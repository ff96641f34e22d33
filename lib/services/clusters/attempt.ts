import { db, type Tx } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { ServiceError } from '../errors'

/** One disconnect, from when it is on record until it has come to its end. */
export interface Attempt {
  clusterId: string
  name: string
  /** The event with which it began. */
  event: bigint
  /** By the database's clock. */
  at: Date
  /** What stands on the cluster meanwhile. */
  words: string
}

/** After this long nobody ends it any more, and the worker connects the cluster again. */
export const PATIENCE_MS = 5 * 60_000
/** Later than this it takes no step that cannot be undone: a call of half a minute has come to its end before somebody loses patience. */
const LAST_STEP_MS = PATIENCE_MS - 60_000

/** Stands there instead once somebody else connects the cluster again: from then on an attempt that was cut short is over. */
export const TAKEN_UP = 'Being connected again: its disconnect was cut short.'

/** How the newest attempt began, on record. */
export const newestAttempt = (tx: Tx, clusterId: string): Promise<{ id: bigint; at: Date } | null> =>
  tx.auditEvent.findFirst({
    where: { action: 'cluster.disconnect', targetKind: 'ManagementCluster', targetId: clusterId },
    orderBy: { id: 'desc' },
    select: { id: true, at: true },
  })

/** Its row, locked until the end of the transaction: what is found there stays so. */
export async function lockCluster(tx: Tx, clusterId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM management_cluster WHERE id = ${clusterId}::uuid FOR NO KEY UPDATE`
}

/** Why it may do nothing more, because it stood still for so long; null: it is the one that is under way. */
async function overtaken(tx: Tx, { clusterId, name, event, words }: Attempt): Promise<string | null> {
  const select = { state: true, stateMessage: true }
  const now = await tx.managementCluster.findUnique({ where: { id: clusterId }, select })
  if (now?.state !== 'disconnected' || now.stateMessage === TAKEN_UP)
    return `${name} took so long to disconnect that it was connected again.`
  // Looked for last: what the cluster says may be the same words of a newer one.
  const newest = await newestAttempt(tx, clusterId)
  return newest?.id === event && now.stateMessage === words
    ? null
    : `Somebody began to disconnect ${name} anew meanwhile.`
}

export const isUnderWay = async (tx: Tx, attempt: Attempt): Promise<boolean> => (await overtaken(tx, attempt)) === null

/** In the transaction that ends it: whoever connects the cluster again waits for that, or was before. */
export async function requireUnderWay(tx: Tx, attempt: Attempt): Promise<void> {
  const message = await overtaken(tx, attempt)
  if (message) throw given(message)
}

/** Before each step there that cannot be undone: somebody may have connected the cluster again, and people decide there. */
export async function requireTime(attempt: Attempt): Promise<void> {
  await requireUnderWay(db(), attempt)
  if ((await databaseNow(db())).getTime() - attempt.at.getTime() > LAST_STEP_MS)
    throw given(`${attempt.name} takes so long to disconnect that it is about to be connected again.`)
}

const given = (message: string): ServiceError =>
  new ServiceError('conflict', message, { hint: 'Look at its page, then try again.' })
