import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { isPool } from '@/lib/domain/latch/hold'
import type { KubeObject } from '@/lib/kubernetes/types'
import { writerSince } from '@/lib/providers/cluster-api'
import { wasLetGo } from './let-go-outside'
import { waitsFor } from './waits-for'

/** Somebody took away what held a change where anybody can, no decision made here did, and it was held again. */
export const HELD_AGAIN = 'change.held-again'

/**
 * A governed group whose hold anybody may take away who may write it: no guard stands there, or some API servers are older than
 * it. With a guard it was one of those who may, and nobody fights them.
 */
export async function isUnguarded({ latch }: Pick<Capabilities, 'latch'>, groupId: string): Promise<boolean> {
  const cluster = { select: { latchForm: true, watchSince: true, watchPoolsOnly: true } }
  const row = await db().group.findUnique({ where: { id: groupId }, select: { kind: true, governed: true, cluster } })
  if (!row?.governed || row.cluster.latchForm === 'none') return false
  const { watchSince, watchPoolsOnly } = row.cluster
  return !latch.guard || (watchSince !== null && (isPool(row) || !watchPoolsOnly))
}

type Taken = Pick<Change, 'id' | 'groupKind' | 'heldBy' | 'detectedAt'>

/** What was held, and is to wait: of a group of this management cluster as it is now. Null: there is no such change. */
export async function alreadyHeld(clusterId: string, groupId: string, digest: string): Promise<Change | null> {
  const where = { clusterId, groupId, digest, state: { in: ['waiting', 'rejected'] } }
  const change = await db().change.findFirst({ where, orderBy: { detectedAt: 'desc' } })
  return change && (await wasHeld(change)) ? change : null
}

/** On record as held by Drydock. */
export const wasHeld = async (change: Taken): Promise<boolean> =>
  change.heldBy === 'latch' || (await wasLetGo(change)) || (await timesHeldAgain(db(), [change.id])).size > 0

/** Why it is held again. Of who takes something away, managed fields tell only what else they wrote. */
export async function takenWords({ id, groupKind, detectedAt }: Taken, group?: KubeObject): Promise<string> {
  const { words, letGo } = await waitsFor(id)
  const meanwhile = words
    ? `, although it is not its time: ${words}.`
    : `, and nobody let it go ${letGo ? 'anew' : 'here'}.`
  if (!group) return `Its hold was taken away outside Drydock${meanwhile}`
  const where = { targetKind: groupKind, targetId: id, action: { in: [HELD_AGAIN, 'change.stopped'] }, result: 'ok' }
  const last = await db().auditEvent.findFirst({ where, orderBy: { id: 'desc' }, select: { at: true } })
  const by = writerSince(group, last?.at ?? detectedAt)
  // So an API server calls whoever says nothing of themselves.
  const who = by && by !== 'unknown' ? `${by} wrote to it since` : 'its managed fields do not say by whom'
  return `Its hold was taken away outside Drydock (${who})${meanwhile}`
}

/** How often each of these changes was held again so; those that never were are left out. */
export async function timesHeldAgain(tx: Tx, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.$queryRaw<{ id: string; times: number }[]>`
    SELECT c.id::text, count(*)::int AS times FROM change c
    JOIN audit_event a ON a.target_kind = c.group_kind AND a.target_id = c.id::text
    WHERE c.id = ANY(${ids}::uuid[]) AND a.action = ${HELD_AGAIN} AND a.result = 'ok' GROUP BY c.id`
  return new Map(rows.map(({ id, times }) => [id, times]))
}
