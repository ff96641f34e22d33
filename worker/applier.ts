import { db } from '@/lib/db/client'
import { applyDecision } from '@/lib/services/changes/apply'
import { applySkewAction } from '@/lib/services/skew/apply'
import { log as workerLog, type Log } from './log'
import { startRounds, type Rounds } from './rounds'

export interface ApplierOptions {
  owner?: string
  intervalMs?: number
  /** How long the verb that recorded it has before the worker takes it over. */
  graceMs?: number
  log?: Log
}

const INTERVAL_MS = 1_000
const GRACE_MS = 3_000
const AT_ONCE = 20

/** Picks up what was recorded and not applied: the process that recorded it died, or lost its database. Applied once. */
export function startApplier(options: ApplierOptions = {}): Rounds {
  const { owner = `applier:${process.pid}`, intervalMs = INTERVAL_MS, graceMs = GRACE_MS, log = workerLog } = options
  return startRounds(async (stopped) => {
    try {
      const left = abandoned(graceMs)
      const rows = { where: left, orderBy: { recordedAt: 'asc' as const }, take: AT_ONCE, select: { id: true } }
      const [decisions, actions] = await Promise.all([db().decision.findMany(rows), db().skewAction.findMany(rows)])
      for (const { id } of decisions) if (!stopped()) await once(() => applyDecision(id, owner), log)
      for (const { id } of actions) if (!stopped()) await once(() => applySkewAction(id, owner), log)
    } catch (error) {
      log.warn({ err: error }, 'cannot look for decisions to apply; trying again')
    }
  }, intervalMs)
}

/** Not applied, and nobody claims it: a recorded one gets some grace, its verb is about to claim it. */
function abandoned(graceMs: number) {
  const now = new Date()
  return {
    OR: [
      { state: 'recorded', claimedUntil: null, recordedAt: { lt: new Date(now.getTime() - graceMs) } },
      { state: 'recorded', claimedUntil: { lt: now } },
      { state: 'applying', claimedUntil: { lt: now } },
    ],
  }
}

async function once(apply: () => Promise<void>, log: Log): Promise<void> {
  try {
    await apply()
  } catch (error) {
    log.error({ err: error }, 'a decision could not be applied; its claim runs out and it is tried again')
  }
}
