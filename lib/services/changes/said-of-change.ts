import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { plainReason } from '@/lib/domain/latch/names'
import { HELD_AGAIN } from './held-again'
import { LET_GO } from './let-go-outside'
import { MOVED_UNAPPROVED } from './moved-unapproved'

/** Its hold grew old. */
type Aged = 'reminded' | 'before-everybody' | 'dangerous'

/** What people, and policies by themselves, did to a change while it was under way. */
export interface SaidOfChange {
  what:
    | 'stopped'
    | 'went-on'
    | 'paused'
    | 'resumed'
    | 'next-machine'
    | 'all-machines'
    | 'held'
    | 'rolled-back'
    | 'scaled'
    | 'at-hook'
    | 'let-go'
    | 'held-again'
    | 'moved-unapproved'
    | Aged
  at: Date
  by: string
  /** Of what was held: what held it. */
  reason: string | null
  /** Of what stopped by itself: by which policy; of what went on after that, by which it had, and why. */
  policy: string | null
  was: string | null
  /** It does not stop by itself any more. */
  forGood: boolean
}

const ACTIONS: Record<string, SaidOfChange['what']> = {
  'change.stopped-by-itself': 'stopped',
  'change.failures-accepted': 'went-on',
  'change.paused': 'paused',
  'change.resumed': 'resumed',
  'change.next-machine': 'next-machine',
  'change.all-machines': 'all-machines',
  'change.stopped': 'held',
  'change.rolled-back': 'rolled-back',
  [LET_GO]: 'let-go',
  [HELD_AGAIN]: 'held-again',
  [MOVED_UNAPPROVED]: 'moved-unapproved',
  'hold.reminded': 'reminded',
  'hold.put-before-everybody': 'before-everybody',
  'hold.dangerous': 'dangerous',
}
/** Where it waited at its hook: before its group had the version. */
const AT_HOOK = { action: 'change.waits', details: { path: ['heldBy'], equals: 'hook' } }
/** Of its group, while it was there. */
const SCALED = 'scaling.carried'
/** The newest of them. */
const MOST = 200

type SaidOf = Pick<Change, 'id' | 'groupId' | 'groupKind' | 'detectedAt' | 'finishedAt'>

/** By the audit, the oldest first: the change itself knows only what holds now. */
export async function saidOfChange(row: SaidOf): Promise<SaidOfChange[]> {
  const { id, groupId, groupKind, detectedAt, finishedAt } = row
  const rows = await db().auditEvent.findMany({
    where: {
      ...{ targetKind: groupKind, result: 'ok' },
      OR: [
        { targetId: id, action: { in: Object.keys(ACTIONS) } },
        { targetId: id, ...AT_HOOK },
        { targetId: groupId, action: SCALED, at: { gte: detectedAt, ...(finishedAt ? { lte: finishedAt } : {}) } },
      ],
    },
    orderBy: { id: 'desc' },
    take: MOST,
    select: { action: true, at: true, actorName: true, reason: true, details: true },
  })
  return rows.reverse().map(({ action, at, actorName, reason, details }) => {
    const { policy = null, was = null, stops = null } = details as Record<'policy' | 'was' | 'stops', string | null>
    const forGood = stops === 'not any more'
    return {
      what: ACTIONS[action] ?? (action === SCALED ? 'scaled' : 'at-hook'),
      at,
      by: actorName,
      reason: reason && plainReason(reason),
      policy,
      was,
      forGood,
    }
  })
}
