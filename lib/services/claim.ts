/** Longer than the reads and the patch may take; a crash in between is picked up after it. */
const CLAIM_MS = 45_000
/** Who may be at it for longer renews the claim so often. */
export const RENEW_MS = 10_000
export const claimEnds = (now: Date): Date => new Date(now.getTime() + CLAIM_MS)

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
