import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { KubeObject } from '@/lib/kubernetes/types'
import { isHeld } from '@/lib/services/changes/hold-of'
import { fidelityOf } from '@/lib/services/forecast/fidelity'
import { json, LATER_MS, owned, SOON_MS, type PlanContext, type Row } from './common'
import { end, recordEnd } from './end'
import { followMachines } from './progress'
import { releaseLeftover } from './release'
import { markSeen } from './seen'
import { writeVerdicts, type GroupKey } from './verdicts'

/** Stopped while its last machines were on their way: their sets go on moving them, and it was not taken back. */
const began = async (changeId: string): Promise<boolean> =>
  (await db().decision.count({ where: { changeId, mode: { not: 'reject' }, acceptedAt: { not: null } } })) > 0 &&
  (await db().machineProgress.count({ where: { changeId, startedAt: { not: null } } })) > 0

/** No machine has to change: what was pending is over, or was taken back, or its machines are still settling. */
export async function nothingPending(
  context: PlanContext,
  group: KubeObject,
  key: GroupKey,
  open: Row | null,
  replicas: number,
): Promise<number | null> {
  const { view } = context
  const held = isHeld(group)
  if (!open) {
    // Nobody's page shows it: what keeps it from going must not be forgotten either.
    return held && !(await releaseLeftover(view, group, null)) ? LATER_MS : null
  }
  const decision = open.decisions[0]
  if (decision) await markSeen(view, group, decision, held ? 'latch' : 'none')
  // Not held, and approved: it was let go and is over already, also where another writer dropped our annotation.
  const letGo = !held && decision !== undefined && decision.mode !== 'reject' && decision.state !== 'recorded'
  const moving = open.state === 'running' || open.state === 'stuck' || letGo || (await began(open.id))
  if (!moving) {
    if (held && !(await releaseLeftover(view, group, open.id))) return SOON_MS
    await db().$transaction(async (tx) => {
      await owned(tx, view)
      await end(tx, view, open, 'reverted')
      await recordEnd(tx, view, open, 'taken-back')
    })
    await writeVerdicts(key, new Map())
    return null
  }
  await writeVerdicts(key, new Map(), true)
  const startedAt = open.startedAt ?? decision?.acceptedAt ?? new Date()
  const progress = await followMachines(key, { ...open, startedAt }, new Map(), null)
  // Between a deletion and the creation that follows it, what is there is up to date, but not all is there.
  const done = progress.settled && progress.machines >= replicas && progress.stuck === null
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    const fidelity = done ? await fidelityOf(tx, open.id) : null
    await tx.change.update({
      where: { id: open.id },
      data: {
        ...fidelity,
        state: done ? 'done' : progress.stuck ? 'stuck' : 'running',
        stuckReason: progress.stuck,
        outcome: json(progress.outcome),
        startedAt,
        finishedAt: done ? new Date() : null,
      },
    })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
  })
  if (done) await writeVerdicts(key, new Map())
  // Held and done: it was stopped at the very end, and the hold holds nothing any more.
  return done && !held ? null : SOON_MS
}
