import type { Tx } from '@/lib/db/client'
import { LIVE } from '@/lib/services/changes/states'
import type { Row } from './common'

/** Whether nothing was decided or said of it, and nobody paused or stopped it, since it was read; the change is locked. */
export async function isAsRead(tx: Tx, open: Row): Promise<boolean> {
  const now = await tx.change.findUnique({
    where: { id: open.id },
    select: {
      ...{ state: true, stoppedAt: true, pausedAt: true, pausedUntilHeld: true, settling: true, countedDoneAt: true },
      decisions: { where: { state: { in: LIVE } }, orderBy: { recordedAt: 'desc' }, take: 1, select: { id: true } },
    },
  })
  return (
    now?.state === open.state &&
    now.stoppedAt?.getTime() === open.stoppedAt?.getTime() &&
    now.pausedAt?.getTime() === open.pausedAt?.getTime() &&
    now.countedDoneAt?.getTime() === open.countedDoneAt?.getTime() &&
    now.settling === open.settling &&
    now.pausedUntilHeld === open.pausedUntilHeld &&
    now.decisions[0]?.id === open.decisions[0]?.id
  )
}
