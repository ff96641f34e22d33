import * as z from 'zod'
import type { AuditEvent, Prisma } from '@/lib/db/generated/client'
import { literal } from '@/lib/db/like'

export const AuditFilter = z.object({
  /** words in names, action, reason or answer */
  q: z
    .string()
    .trim()
    .max(200, 'Search for at most 200 characters.')
    .refine((q) => q.split(/\s+/).length <= 10, 'Search for at most ten words.')
    .optional(),
  /** "change.approved", or all of a kind: "change." */
  action: z.string().max(100, 'There is no such kind of action.').optional(),
  actor: z.string().max(200).optional(),
  cluster: z.uuid('This is not the id of a management cluster.').optional(),
  target: z.object({ kind: z.string().max(100), id: z.string().max(300) }).optional(),
})

export interface AuditRow {
  id: string
  at: string
  actor: { kind: string; id: string; name: string }
  action: string
  target: { kind: string; id: string; name: string }
  cluster: { id: string; name: string } | null
  reason: string | null
  result: string
  answer: string | null
  details: Record<string, unknown>
  hash: string
}

export function where({ q, action, actor, cluster, target }: z.infer<typeof AuditFilter>): Prisma.AuditEventWhereInput {
  const words = q?.split(/\s+/).filter(Boolean) ?? []
  const contains = (word: string): Prisma.AuditEventWhereInput => {
    const has = { contains: literal(word), mode: 'insensitive' as const }
    const columns = ['actorName', 'action', 'targetName', 'clusterName', 'reason', 'answer'] as const
    return { OR: columns.map((column) => ({ [column]: has })) }
  }
  return {
    AND: words.map(contains),
    ...(action ? { action: action.endsWith('.') ? { startsWith: action } : action } : {}),
    ...(actor ? { actorId: actor } : {}),
    ...(cluster ? { clusterId: cluster } : {}),
    ...(target ? { targetKind: target.kind, targetId: target.id } : {}),
  }
}

export function toAuditRow(row: AuditEvent): AuditRow {
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    target: { kind: row.targetKind, id: row.targetId, name: row.targetName },
    cluster: row.clusterId ? { id: row.clusterId, name: row.clusterName ?? row.clusterId } : null,
    reason: row.reason,
    result: row.result,
    answer: row.answer,
    details: row.details as Record<string, unknown>,
    hash: row.hash,
  }
}
