import { createHash } from 'node:crypto'
import type { Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { storable, storableDeep } from '@/lib/domain/text'
import type { Ctx } from '../context'
import { queueRecorded } from '../messages/queue'

export interface AuditEntry {
  /** "change.approved", "decision.accepted", "cluster.added" … */
  action: string
  target: { kind: string; id: string; name: string }
  cluster?: { id: string; name: string } | null
  reason?: string | null
  result?: 'ok' | 'refused' | 'failed'
  /** The API server's own answer, where it was asked. */
  answer?: string | null
  /** Small, without secrets. */
  details?: Record<string, unknown>
  /** Of a message about it, where it is worth one: what it is about, and where that is looked at. Absent: a group, and its update. */
  message?: { what: string; path: string }
}

export interface ChainedFields {
  at: string
  actorKind: string
  actorId: string
  actorName: string
  action: string
  targetKind: string
  targetId: string
  targetName: string
  clusterId: string | null
  clusterName: string | null
  reason: string | null
  result: string
  answer: string | null
  details: string
}

const LOCK = 7_207_001 // one writer of the chain at a time, for the length of its transaction

/** Hash of a row: its fields in a fixed order and the hash before it. */
export function chainHash(prevHash: string, fields: ChainedFields): string {
  const ordered = Object.keys(fields)
    .sort()
    .map((key) => [key, fields[key as keyof ChainedFields]])
  return createHash('sha256').update(prevHash).update(JSON.stringify(ordered)).digest('hex')
}

const text = (value: string | null | undefined): string | null => (value ? storable(value) : (value ?? null))

/** Last line of every transaction: a failed insert undoes the action. */
export async function recordAudit(tx: Tx, ctx: Ctx, entry: AuditEntry): Promise<void> {
  // By the database's clock, once it is this one's turn: of several processes, what is on record later says a later time.
  const [turn] = await tx.$queryRaw<{ at: Date }[]>`
    SELECT pg_advisory_xact_lock(${LOCK})::text AS lock, clock_timestamp() AS at`
  const { at } = turn!
  const last = await tx.auditEvent.findFirst({ orderBy: { id: 'desc' }, select: { hash: true } })
  const prevHash = last?.hash ?? ''
  const fields: ChainedFields = {
    at: at.toISOString(),
    actorKind: ctx.actor.kind,
    actorId: storable(ctx.actor.id),
    actorName: storable(ctx.actor.name),
    action: storable(entry.action),
    targetKind: storable(entry.target.kind),
    targetId: storable(entry.target.id),
    targetName: storable(entry.target.name),
    clusterId: entry.cluster?.id ?? null,
    clusterName: text(entry.cluster?.name),
    reason: text(entry.reason),
    result: entry.result ?? 'ok',
    answer: text(entry.answer),
    details: JSON.stringify(sorted(storableDeep(entry.details ?? {}))),
  }
  await tx.auditEvent.create({
    data: { ...fields, at, details: JSON.parse(fields.details), prevHash, hash: chainHash(prevHash, fields) },
  })
  await queueRecorded(tx, ctx.actor, entry)
  await announce(tx, { topic: 'activity', ...(fields.clusterId ? { cluster: fields.clusterId } : {}) })
}

/** Key order is not kept by jsonb: the hash is taken over sorted keys. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  )
}
