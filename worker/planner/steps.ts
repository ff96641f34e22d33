import { db, type Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Change } from '@/lib/db/generated/client'
import { gatesFor } from '@/lib/domain/capabilities'
import { waitsForSomebody } from '@/lib/domain/control-plane'
import { changeSetOf, outlookIn } from '@/lib/services/changes/change-row'
import { lockChange } from '@/lib/services/changes/lock-change'
import { LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'
import { stepsNow } from '@/lib/services/changes/steps'
import type { GateStatus } from '@/lib/services/gate/status'
import { log } from '../log'
import type { ClusterView } from '../types'
import { owned } from './common'
import { holdToTimes } from './times'

/** Let go, and going machine by machine. */
const GOING = {
  ...{ steps: { not: null }, stepWaitsAt: null, state: { in: UNDER_WAY } },
  decisions: { some: LETS_GO },
}

/**
 * A control plane that goes machine by machine waits as soon as what was allowed is done: from then on it is not its time, and
 * it is held like anything else that is not. When that is, depends on the strategy (lib/services/changes/steps.ts).
 * `hold`: what holds it; whoever looks again soon does not wait for one that hangs.
 */
export async function holdSteps(view: ClusterView, hold = holdToTimes): Promise<void> {
  const going = await db().change.findMany({ where: { clusterId: view.clusterId, ...GOING } })
  let waits = false
  for (const change of going)
    try {
      waits = (await stepDone(view, change)) || waits
    } catch (err) {
      // The others are held all the same.
      log.warn({ err, change: change.id }, 'a step could not be looked at; it will be repeated')
    }
  // Not in two seconds: where nobody asks, the next one may begin in any moment.
  if (waits) await hold(view)
}

async function stepDone(view: ClusterView, change: Change): Promise<boolean> {
  const early = await isEarly(view, change)
  if ((await doneWith(db(), change, early)) === null) return false
  return db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, change.id)
    // Somebody may have let more of it go meanwhile.
    const now = await tx.change.findFirst({ where: { id: change.id, ...GOING } })
    const stepsDone = now && (await doneWith(tx, now, early))
    if (stepsDone === null) return false
    await tx.change.update({ where: { id: change.id }, data: { stepsDone, stepWaitsAt: new Date() } })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [change.id] })
    return true
  })
}

/** How many were dealt with, where it is to wait for somebody now; null: it is not. */
async function doneWith(tx: Tx, change: Change, early: boolean): Promise<number | null> {
  const { through, spares } = await stepsNow(tx, change, early)
  const spared = Math.min(spares, await sparedBy(tx, change))
  return waitsForSomebody({ steps: change.steps, through, of: change.machines, spared }) ? through : null
}

/**
 * How many old machines its approval in place only deletes, for spares: in the moment in which the last other one is updated, and Cluster
 * API asks nobody. To wait before that is to say something that does not hold. In place the gate lets none of them begin.
 */
async function sparedBy(tx: Tx, change: Change): Promise<number> {
  const { inPlace } = outlookIn(change)
  if (!inPlace || changeSetOf(change).pairs.some(({ certainReplace }) => certainReplace)) return 0
  const letGo = await tx.decision.findFirst({
    where: { changeId: change.id, ...LETS_GO },
    orderBy: { recordedAt: 'desc' },
    select: { mode: true },
  })
  return letGo?.mode === 'in-place' ? (inPlace.spare ?? 0) + (inPlace.forSpares ?? 0) : 0
}

/**
 * Whether a machine that was made counts before it is well. Where a new one comes first, the manager has found it well when it
 * deletes the old one. Where one goes first and nobody is asked before the next, the manager deletes the next one as soon as it
 * finds the new one well, and has to be paused before; what is not known surely is so.
 */
async function isEarly({ clusterId, capabilities }: ClusterView, change: Change): Promise<boolean> {
  const group = await db().group.findUnique({ where: { id: change.groupId }, select: { maxSurge: true } })
  if (group && group.maxSurge !== '0') return true
  const cluster = await db().managementCluster.findUnique({ where: { id: clusterId } })
  const status = cluster?.gateState === 'registered' ? (cluster.gateStatus as unknown as GateStatus | null) : null
  const asked = gatesFor(capabilities.gates, change.groupKind).every(({ state }) => state === 'on')
  return !asked || status?.state !== 'ok' || changeSetOf(change).pairs.some(({ certainReplace }) => certainReplace)
}
