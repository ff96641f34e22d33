import type { Decision } from '@/lib/db/generated/client'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { HELD, SEEN_STORED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { HELD_AGAIN, isUnguarded, takenWords, wasHeld } from '@/lib/services/changes/held-again'
import type { Hold } from '@/lib/services/changes/hold-of'
import { rejectedText } from '@/lib/services/changes/patch-for'
import { log } from '../log'
import type { ClusterView } from '../types'
import type { Row } from './common'
import { isHeldRejected } from './hold'
import { NotHeld, stop } from './stop'

export const TAKEN = 'its hold was taken away, and nobody let it go here'
/** How that is on record. */
export const AGAIN = { action: HELD_AGAIN, intent: 'change.hold-again' }

/**
 * Where no guard says who may take a hold away, nobody lets a change go by doing so: it is held again, each time. At once, for it
 * moves; what the API server refuses is planned as what it is, let go. True: it is to be looked at anew.
 */
export async function holdsAgain(view: ClusterView, group: KubeObject, open: Row, hold: Hold): Promise<boolean> {
  const [newest] = open.decisions
  const rejection = newest?.mode === 'reject' && ['accepted', 'seen'].includes(newest.state) ? newest : null
  const waits = open.state === 'waiting' || open.state === 'rejected'
  if (!waits || hold === 'hook' || (newest && !rejection)) return false
  if (hold === 'latch') return rejection !== null && (await saysRejected(view, group, rejection))
  if (!(await wasHeld(open)) || !(await isUnguarded(view.capabilities, open.groupId))) return false
  const { digest } = open
  try {
    await stop(view, open, TAKEN, {
      ...(rejection ? { words: rejectedText({ ...rejection, mode: 'reject' }) } : {}),
      as: { ...AGAIN, reason: await takenWords(open, group) },
      // What it wants by then is another change.
      isPast: (object) => Promise.resolve(rolloutDigest({ ...object, kind: open.groupKind }) !== digest),
    })
    return true
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error
    log.error({ cluster: view.name, change: open.id, err: error }, 'a hold that was taken away could not be put back')
    return false
  }
}

/** Held again by the watch, which knows of no rejection: the object says so again. */
async function saysRejected(view: ClusterView, group: KubeObject, rejection: Decision): Promise<boolean> {
  if (group.metadata.annotations?.[HELD] !== SEEN_STORED) return false
  return !(await isHeldRejected(view, group, rejection))
}
