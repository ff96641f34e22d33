import { db } from '@/lib/db/client'
import { NOT_KNOWN, UNREAD } from './not-written'

const LATELY_MS = 3_600_000

/** Of so many parts of one target each is told apart. */
const MOST = 20

/**
 * What the API server last answered to an action on a target, where that was a refusal, or another error, of the last hour. What repeats
 * itself every few seconds is told once, and again only when the answer is another one. `reason`: of which of several parts, where each
 * is refused on its own.
 */
export async function lastRefusal(
  action: string,
  target: { kind: string; id: string },
  reason?: string,
): Promise<string | null> {
  const last = await db().auditEvent.findMany({
    where: { targetKind: target.kind, targetId: target.id, action, at: { gt: new Date(Date.now() - LATELY_MS) } },
    orderBy: { id: 'desc' },
    take: reason === undefined ? 1 : MOST,
    select: { result: true, answer: true, reason: true },
  })
  const other = last.findIndex((row) => !isRefused(row))
  const refused = other < 0 ? last : last.slice(0, other)
  const own = reason === undefined ? refused[0] : refused.find((row) => row.reason === reason)
  return own ? (own.answer ?? '') : null
}

const isRefused = ({ result, answer }: { result: string; answer: string | null }): boolean =>
  result === 'refused' || [NOT_KNOWN, UNREAD].some((begin) => answer?.startsWith(begin))
