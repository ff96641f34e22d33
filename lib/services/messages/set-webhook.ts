import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { SetWebhookInput } from './schemas'
import { sealedTarget } from './target'

/** Says where messages go, whole: an address never gets the token of another. What waits goes there, too. */
export async function setWebhook(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'messages:write')
  const { url, token } = parseInput(SetWebhookInput, input)
  const data = {
    ...sealedTarget({ url: url.href, token }),
    ...{ host: url.host, hasToken: token !== null, setBy: ctx.actor.name, setAt: new Date() },
  }
  await db().$transaction(async (tx) => {
    await tx.webhook.upsert({ where: { id: 1 }, create: { id: 1, ...data }, update: data })
    await recordAudit(tx, ctx, {
      action: 'webhook.set',
      target: { kind: 'Webhook', id: '1', name: url.host },
      details: { token: token !== null },
    })
  })
}
