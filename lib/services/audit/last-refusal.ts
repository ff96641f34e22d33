import { db } from '@/lib/db/client'

const LATELY_MS = 3_600_000

/**
 * What the API server last answered to an action on a target, where that was a refusal of the last hour. What repeats
 * itself every few seconds is told once, and again only when the answer is another one.
 */
export async function lastRefusal(action: string, target: { kind: string; id: string }): Promise<string | null> {
  const last = await db().auditEvent.findFirst({
    where: { targetKind: target.kind, targetId: target.id, action, at: { gt: new Date(Date.now() - LATELY_MS) } },
    orderBy: { id: 'desc' },
    select: { result: true, answer: true },
  })
  return last?.result === 'refused' ? (last.answer ?? '') : null
}
