import { db } from '@/lib/db/client'
import type { Decision } from '@/lib/db/generated/client'
import { rolloutDigest, sameButImage } from '@/lib/domain/latch/digest'
import { HELD, NOT_NOW, SEEN_STORED, STOPPED, UNPAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { HELD_AGAIN, isUnguarded, takenWords, wasHeld } from '@/lib/services/changes/held-again'
import type { Hold } from '@/lib/services/changes/hold-of'
import { REJECTED, rejectedText } from '@/lib/services/changes/patch-for'
import { waitsFor } from '@/lib/services/changes/waits-for'
import { log } from '../log'
import type { ClusterView } from '../types'
import { bearsLetGo } from './adopt'
import type { Row } from './common'
import { isHeldRejected, isHeldWith } from './hold'
import { NOBODY_LET_GO, NotHeld, stop } from './stop'

/** How it is on record that a hold which somebody took away is put back. */
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
  if (hold === 'latch') return saysAgain(view, group, open, rejection)
  if (!(await wasHeld(open)) || !(await isUnguarded(view.capabilities, open.groupId))) return false
  try {
    await stop(view, open, await takenWhy(open), {
      ...(rejection ? { words: rejectedText({ ...rejection, mode: 'reject' }) } : {}),
      as: { ...AGAIN, reason: await takenWords(open, group) },
      isPast: isSettled(view.clusterId, open),
    })
    return true
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error
    log.error({ cluster: view.name, change: open.id, err: error }, 'a hold that was taken away could not be put back')
    return false
  }
}

/** It wants something else by then, or an approval of this very change let it go meanwhile. */
export const isSettled =
  (clusterId: string, change: Pick<Row, 'id' | 'groupKind' | 'digest'>) =>
  async (object: KubeObject): Promise<boolean> =>
    (await wantsElse(change)(object)) || bearsLetGo(clusterId, object, { id: change.id, digest: change.digest })

/** What a group wants by then is another change. Of an image that is built the object itself says nothing. */
export const wantsElse =
  ({ groupKind, digest }: Pick<Row, 'groupKind' | 'digest'>) =>
  (object: KubeObject): Promise<boolean> => {
    const now = rolloutDigest({ ...object, kind: groupKind }) ?? ''
    return Promise.resolve(now !== digest && !sameButImage(now, digest))
  }

/**
 * Why it is held again, as it stands on the object: whose pause, or which time, it waits for still stands there. It moves meanwhile:
 * where that cannot be read, it is held all the same.
 */
export async function takenWhy({ id }: Pick<Row, 'id'>): Promise<string> {
  const { words, letGo } = await waitsFor(id).catch(() => ({ words: null, letGo: false }))
  return words ? `${NOT_NOW}${words}` : NOBODY_LET_GO[letGo ? 'takenSince' : 'taken']
}

/**
 * What somebody rejected, and enough approved after all: what it waits for, as it stands on the object. Null: nothing, it goes in a moment;
 * or the rejection stands.
 */
async function afterAll({ id, dueMode, decisions: [live] }: Row): Promise<string | null> {
  if (dueMode === null && (live || !(await isRejectionVoid(id)))) return null
  const { words } = await waitsFor(id)
  if (words) return `${STOPPED}${NOT_NOW}${words}`
  // Taken back since.
  return dueMode === null ? UNPAUSED : null
}

async function isRejectionVoid(changeId: string): Promise<boolean> {
  const select = { mode: true, state: true } as const
  const newest = await db().decision.findFirst({ where: { changeId }, orderBy: { recordedAt: 'desc' }, select })
  return newest?.mode === 'reject' && newest.state === 'voided'
}

/** Held again by the watch, which knows of no rejection, and of nothing that was let go here before; or rejected, and approved after all: the object says how it is. */
async function saysAgain(
  view: ClusterView,
  group: KubeObject,
  open: Row,
  rejection: Decision | null,
): Promise<boolean> {
  const words = group.metadata.annotations?.[HELD]
  if (!rejection && words?.startsWith(REJECTED)) {
    const now = await afterAll(open)
    return now !== null && !(await isHeldWith(view, group, now))
  }
  if (words !== SEEN_STORED) return false
  if (rejection) return !(await isHeldRejected(view, group, rejection))
  const { letGo } = await waitsFor(open.id)
  return letGo && !(await isHeldWith(view, group, `${STOPPED}${await takenWhy(open)}`))
}
