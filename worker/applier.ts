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
  const order = { orderBy: { recordedAt: 'asc' as const }, take: AT_ONCE, select: { id: true } }
  const known = { kind: { in: [...kinds.keys()] } }
  const rounds = (round: (stopped: () => boolean) => Promise<void>) =>
    startRounds(
      (stopped) =>
        round(stopped).catch((error: unknown) => {
          log.warn({ err: error }, 'cannot look for decisions to apply; trying again')
        }),
      intervalMs,
    )
  const left = rounds(async (stopped) => {
    const where = abandoned(graceMs)
    const [decisions, actions] = await Promise.all([
      db().decision.findMany({ ...order, where }),
      db().openShiftAction.findMany({ ...order, where: { ...known, ...where } }),
    ])
    for (const { id } of decisions) if (!stopped()) await once(() => applyDecision(id, owner), log)
    for (const { id } of actions) if (!stopped()) await once(() => applyAction(id, owner), log)
  })
  // By themselves: a cluster that does not answer keeps nothing else waiting.
  const looks = rounds(async (stopped) => {
    const waiting = await db().openShiftAction.findMany({ ...order, where: { ...known, ...unlooked() } })
    const look = async ({ id }: { id: string }) => {
      if (!stopped() && (await takesLook(id))) await once(() => applyAction(id, owner), log)
    }
    await Promise.all(waiting.map(look))
  })
  return { stop: async () => void (await Promise.all([left.stop(), looks.stop()])) }
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
