import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { post, type Posted } from './post'
import { messageOf } from './queue'
import { targetOf } from './target'

/** Posts a message now, once, and says what came of it. */
export async function testWebhook(ctx: Ctx): Promise<Posted> {
  requirePermission(ctx, 'messages:write')
  const row = await db().webhook.findUnique({ where: { id: 1 } })
  if (!row) throw new ServiceError('not-found', 'Say where messages go first.')
  const about = { kind: 'test' as const, what: '', cluster: null, object: null, path: '/activity/messages' }
  const body = messageOf({ ...about, by: ctx.actor.name })
  const posted = await post(targetOf(row), body)
  const now = new Date()
  await db().$transaction(async (tx) => {
    await tx.message.create({
      data: {
        ...{ id: body.id, kind: 'test', body: body as unknown as Prisma.InputJsonObject, attempts: 1 },
        ...{ result: posted.result, ...(posted.ok ? { deliveredAt: now } : { failedAt: now }) },
      },
    })
    await recordAudit(tx, ctx, {
      action: 'webhook.tested',
      target: { kind: 'Webhook', id: '1', name: row.host },
      ...{ result: posted.ok ? 'ok' : 'failed', answer: posted.result },
    })
  })
  return posted
}
