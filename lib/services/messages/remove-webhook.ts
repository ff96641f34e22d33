import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'

/** No message leaves Drydock any more; those that wait are given up. */
export async function removeWebhook(ctx: Ctx): Promise<void> {
  requirePermission(ctx, 'messages:write')
  await db().$transaction(async (tx) => {
    const row = await tx.webhook.findUnique({ where: { id: 1 } })
    if (!row) throw new ServiceError('not-found', 'Messages go nowhere already.')
    await tx.webhook.delete({ where: { id: 1 } })
    await tx.message.updateMany({
      where: { deliveredAt: null, failedAt: null },
      data: { failedAt: new Date(), result: 'given up: messages go nowhere any more' },
    })
    await recordAudit(tx, ctx, { action: 'webhook.removed', target: { kind: 'Webhook', id: '1', name: row.host } })
  })
}
