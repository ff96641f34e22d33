import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { log } from '@/lib/log'

/** By the database's clock: those who claim may have others. Longer than the reads and the patch may take; a crash in between is picked up after it. */
const CLAIM_MS = 45_000
/** Who may be at it for longer renews the claim so often. */
export const RENEW_MS = 10_000
const claimEnds = (now: Date): Date => new Date(now.getTime() + CLAIM_MS)

/** Whoever changes a row first has it: the verb itself, or the worker after a crash. */
export const claimable = (id: string, now: Date) => ({
  id,
  state: { in: ['recorded', 'applying'] },
  OR: [{ claimedUntil: null }, { claimedUntil: { lt: now } }],
})

export const claimed = (claimedBy: string, now: Date) => ({
  state: 'applying',
  claimedBy,
  claimedUntil: claimEnds(now),
  attempts: { increment: 1 },
})

/** Of one attempt alone: two processes may have the same number, and one verb may be called twice. */
export const claimName = (who: string): string => `${who}:${randomUUID()}`

/** A cluster that is slow to answer may take longer than a claim: it is renewed for as long as somebody is at it. */
export async function whileRenewed<T>(
  of: Record<string, string>,
  renew: (claimedUntil: Date) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let renewed: Promise<unknown> = Promise.resolve()
  const again = () => {
    renewed = databaseNow(db())
      .then((now) => renew(claimEnds(now)))
      .catch((err: unknown) => log().warn({ err, ...of }, 'a claim could not be renewed'))
  }
  const timer = setInterval(again, RENEW_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    // What is written of the claim afterwards is the last word.
    await renewed
  }
}
