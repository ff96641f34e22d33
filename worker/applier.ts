import { db } from '@/lib/db/client'
import { applyDecision } from '@/lib/services/changes/apply'
import { applyAction } from '@/lib/services/openshift/apply-action'
import { kinds } from '@/lib/services/openshift/kinds'
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
const LOOK_MS = 5_000

/**
 * Picks up what was recorded and not applied: the process that recorded it died, or lost its database. Applied once. An action
 * that waits between its steps goes on when its object is heard of (stepOn); where that was missed it is looked at here.
 */
export function startApplier(options: ApplierOptions = {}): Rounds {
  const { owner = `applier:${process.pid}`, intervalMs = INTERVAL_MS, graceMs = GRACE_MS, log = workerLog } = options
  return startRounds(async (stopped) => {
    try {
      const left = abandoned(graceMs)
      const rows = { orderBy: { recordedAt: 'asc' as const }, take: AT_ONCE, select: { id: true } }
      const known = { kind: { in: [...kinds.keys()] } }
      const [decisions, actions, waiting] = await Promise.all([
        db().decision.findMany({ ...rows, where: left }),
        db().openShiftAction.findMany({ ...rows, where: { ...known, ...left } }),
        db().openShiftAction.findMany({ ...rows, where: { ...known, ...unlooked() } }),
      ])
      for (const { id } of decisions) if (!stopped()) await once(() => applyDecision(id, owner), log)
      for (const { id } of actions) if (!stopped()) await once(() => applyAction(id, owner), log)
      for (const { id } of waiting)
        if (!stopped() && (await takesLook(id))) await once(() => applyAction(id, owner), log)
    } catch (error) {
      log.warn({ err: error }, 'cannot look for decisions to apply; trying again')
    }
  }, intervalMs)
}

const unlooked = () => ({
  state: 'waiting',
  OR: [{ claimedUntil: null }, { claimedUntil: { lt: new Date() } }],
})

/** Of several workers one looks, and not again at once. */
async function takesLook(id: string): Promise<boolean> {
  const { count } = await db().openShiftAction.updateMany({
    where: { id, ...unlooked() },
    data: { claimedUntil: new Date(Date.now() + LOOK_MS) },
  })
  return count === 1
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
