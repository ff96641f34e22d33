import { db } from '@/lib/db/client'
import type { AuditEvent, Prisma } from '@/lib/db/generated/client'

/** All rows in order, a batch at a time: the audit may be large. */
export async function* walkAudit(
  condition: Prisma.AuditEventWhereInput = {},
  size = 1000,
): AsyncGenerator<AuditEvent[]> {
  for (let after = BigInt(-1); ;) {
    const rows = await db().auditEvent.findMany({
      where: { AND: [condition, { id: { gt: after } }] },
      orderBy: { id: 'asc' },
      take: size,
    })
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.id
  }
}
