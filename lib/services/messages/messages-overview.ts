import { db } from '@/lib/db/client'
import type { MessageBody } from '@/lib/domain/messages'
import { requirePermission, type Ctx } from '../context'

export interface MessageDto {
  id: string
  kind: string
  sentence: string
  createdAt: string
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  result: string | null
  /** Of one that waits and was tried. */
  nextAt: string | null
}

export interface MessagesOverview {
  /** Null: messages go nowhere. */
  webhook: { host: string; token: boolean; setBy: string; setAt: string } | null
  /** The newest. */
  messages: MessageDto[]
}

const MOST = 50

/** Where messages go, and what became of the newest. */
export async function messagesOverview(ctx: Ctx): Promise<MessagesOverview> {
  requirePermission(ctx, 'messages:write')
  const [row, rows] = await Promise.all([
    db().webhook.findUnique({ where: { id: 1 } }),
    db().message.findMany({ orderBy: { createdAt: 'desc' }, take: MOST }),
  ])
  return {
    webhook: row && { host: row.host, token: row.hasToken, setBy: row.setBy, setAt: row.setAt.toISOString() },
    messages: rows.map(({ id, kind, body, createdAt, attempts, nextAt, deliveredAt, failedAt, result }) => {
      const state = deliveredAt ? 'delivered' : failedAt ? 'failed' : 'waiting'
      return {
        ...{ id, kind, state, attempts, result, createdAt: createdAt.toISOString() },
        sentence: (body as unknown as MessageBody).sentence,
        nextAt: state === 'waiting' && attempts > 0 ? nextAt.toISOString() : null,
      }
    }),
  }
}
