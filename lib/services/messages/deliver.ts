import { db } from '@/lib/db/client'
import type { Message } from '@/lib/db/generated/client'
import { delayAfter, TRIED_MS } from '@/lib/domain/messages'
import { post, type Posted } from './post'
import { targetOf } from './target'

/** Whoever takes some has a minute; what is left after it, another takes: at least once. */
const CLAIM = `
UPDATE message SET attempts = attempts + 1, next_at = now() + interval '1 minute' WHERE id IN (
  SELECT id FROM message WHERE delivered_at IS NULL AND failed_at IS NULL AND next_at <= now()
  ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING id::text, attempts, body, created_at AS "createdAt"`

type Claimed = Pick<Message, 'id' | 'attempts' | 'body' | 'createdAt'>
const AT_ONCE = 5

/** Posts what is due; says whether there may be more. */
export async function deliverMessages(): Promise<boolean> {
  const row = await db().webhook.findUnique({ where: { id: 1 } })
  if (!row) return false
  const target = targetOf(row)
  const claimed = await db().$queryRawUnsafe<Claimed[]>(CLAIM, AT_ONCE)
  await Promise.all(claimed.map(async (message) => settle(message, await post(target, message.body))))
  return claimed.length === AT_ONCE
}

async function settle({ id, attempts, createdAt }: Claimed, { ok, result }: Posted): Promise<void> {
  const now = Date.now()
  const tooOld = now - createdAt.getTime() > TRIED_MS
  const next = ok
    ? { deliveredAt: new Date(now) }
    : tooOld
      ? { failedAt: new Date(now) }
      : { nextAt: new Date(now + delayAfter(attempts)) }
  await db().message.updateMany({ where: { id, deliveredAt: null, failedAt: null }, data: { ...next, result } })
}

/** What was told is kept for a month. */
export const forgetOldMessages = (): Promise<number> =>
  db().$executeRaw`DELETE FROM message WHERE created_at < now() - interval '30 days'`
