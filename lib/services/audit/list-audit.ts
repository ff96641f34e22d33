import * as z from 'zod'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { AuditFilter, toAuditRow, where, type AuditRow } from './filter'
import { knownOf, type AuditKnown } from './known'

const ListAuditInput = AuditFilter.extend({
  /** id of the last row of the page before */
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'This page does not exist.')
    .optional(),
  limit: z.number().int().min(1).max(200).default(100),
})

export interface AuditPage {
  rows: AuditRow[]
  /** By a row's id: what became since of that which it names. */
  known: Record<string, AuditKnown>
  /** Ask for the next page with it; null: this is the last. */
  next: string | null
}

/** What was done, newest first. */
export async function listAudit(ctx: Ctx, input: unknown = {}): Promise<AuditPage> {
  requirePermission(ctx, 'activity:read')
  const { cursor, limit, ...filter } = parseInput(ListAuditInput, input)
  const conditions: Prisma.AuditEventWhereInput = { AND: [where(filter), cursor ? { id: { lt: BigInt(cursor) } } : {}] }
  const rows = await db().auditEvent.findMany({ where: conditions, orderBy: { id: 'desc' }, take: limit + 1 })
  const page = rows.slice(0, limit).map(toAuditRow)
  return { rows: page, known: await knownOf(page), next: rows.length > limit ? page.at(-1)!.id : null }
}
