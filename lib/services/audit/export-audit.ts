import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { AuditFilter, toAuditRow, where } from './filter'
import { recordAudit } from './record'
import { walkAudit } from './walk'

/** The audit as NDJSON, oldest first, one object per line, in pieces. That it was taken out is recorded. */
export async function exportAudit(ctx: Ctx, input: unknown = {}): Promise<AsyncGenerator<string>> {
  requirePermission(ctx, 'activity:read')
  const filter = parseInput(AuditFilter, input)
  await db().$transaction((tx) =>
    recordAudit(tx, ctx, {
      action: 'audit.exported',
      target: { kind: 'Audit', id: 'audit', name: 'audit' },
      details: { filter },
    }),
  )
  return lines(filter)
}

async function* lines(filter: Parameters<typeof where>[0]): AsyncGenerator<string> {
  for await (const batch of walkAudit(where(filter))) {
    yield batch.map((row) => JSON.stringify({ ...toAuditRow(row), prevHash: row.prevHash }) + '\n').join('')
  }
}
