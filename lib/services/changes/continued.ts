import type { Tx } from '@/lib/db/client'
import type { Change, Decision, Prisma } from '@/lib/db/generated/client'
import { configsEdited, type RevisionPair } from '@/lib/domain/changes'
import { pairsApproved, type ApprovedPair } from './approved-pairs'
import { changeSetOf } from './change-row'
import { COUNTED, isCounted } from './counted'
import { endedOf } from './ended'
import { leftBy } from './left-by'
import { LET_GO } from './let-go-outside'
import { BY_STEPS } from '../policies/timing'

/** What is known of a change from before its cluster was disconnected, and connected again. */
export interface Continued {
  /** The change that ended with the disconnect; `seenAt`: when that desired state was first seen. */
  from: { id: string; seenAt: string }
  /**
   * The last decision that let it go; `stood`: it was in force when the cluster was disconnected. `edited`: by then its machines were to be
   * something else than that approved.
   */
  letGoBy: { name: string; mode: 'in-place' | 'replace'; stood: boolean; edited?: true } | null
  /** What that approved; null: it was not in force. */
  approved: readonly ApprovedPair[] | null
  /** Its hold was taken away outside Drydock. */
  taken: boolean
  paused: Pick<Change, 'pausedBy' | 'pausedReason' | 'pausedAt'> | null
  /** It stopped by itself, and nobody has said that it goes on; or it was counted as done, and its rows went before that was written. */
  stopped: Pick<Change, 'stoppedBy' | 'stoppedWhy' | 'stoppedAt'> | null
  /** Why it is held where it moves, and waits for people then: its approval was taken back, or let one machine go and not all of them. */
  untilHeld: Pick<Change, 'pausedBy' | 'pausedReason' | 'pausedAt' | 'pausedUntilHeld'> | null
  /** Who disconnected its cluster, although it moved by that; null: it did not. */
  movedBy: string | null
  /** The rejection that was in force. */
  rejected: Decision | null
}

type Of = Pick<Change, 'clusterId' | 'groupId' | 'digest'> & { pairs: readonly RevisionPair[] }

const letGo = ({ mode, acceptedAt }: Pick<Decision, 'mode' | 'acceptedAt'>): boolean =>
  mode !== 'reject' && acceptedAt !== null

/** More often nobody connects a cluster again while one change waits. */
const MOST = 5

/**
 * What a change of a group continues that is about to be there: the very same desired state of the same group, whose change ended because
 * its management cluster was disconnected. Null: it is new. Nothing moves by it: it says what was, and what is kept
 * back stays so. `now`: by the database's clock. All that are there came before it, by whatever clock they were found.
 */
export const continuedOf = (tx: Tx, of: Of, now: Date): Promise<Continued | null> => continuedFrom(tx, of, now, {})

async function continuedFrom(
  tx: Tx,
  { clusterId, groupId, digest, pairs }: Of,
  now: Date,
  before: Prisma.ChangeWhereInput,
): Promise<Continued | null> {
  if (digest === '') return null
  const earlier = await tx.change.findMany({
    // By its uid: connected again under another name, its cluster is another one here.
    where: { groupId, OR: [{ clusterId }, { cluster: { state: 'disconnected' } }], ...before },
    orderBy: { detectedAt: 'desc' },
    take: MOST,
    include: { decisions: { orderBy: { recordedAt: 'desc' } } },
  })
  const ended = await endedOf(earlier, tx)
  const other = earlier.findIndex((one) => one.digest !== digest || ended[one.id] !== 'disconnected')
  const [last, ...older] = other < 0 ? earlier : earlier.slice(0, other)
  if (!last) return null
  const same = [last, ...older]
  const ids = same.map(({ id }) => id)
  const taken = await tx.auditEvent.count({
    where: { targetKind: last.groupKind, targetId: { in: ids }, action: LET_GO },
  })
  const at = same.findIndex(({ decisions }) => decisions.some(letGo))
  const by = at < 0 ? undefined : same[at]!.decisions.find(letGo)
  // Connected more than once since, it went on by it each time.
  const went = same.slice(0, Math.max(0, at)).every(({ startedAt }) => startedAt !== null)
  const [newest] = last.decisions
  const counted = isCounted(last, newest)
  const stood = went && by?.cutOff === true && !same[at]!.pausedUntilHeld && !counted
  const approved = stood ? pairsApproved(by, same[at]!) : null
  const edited = approved !== null && configsEdited({ pairs: approved }, { pairs })
  const left = await leftBy(last, tx)
  const { pausedBy, pausedReason, pausedAt, pausedUntilHeld, stoppedBy, stoppedWhy, stoppedAt } = last
  const byStep = stood && same[at]!.steps !== null
  return {
    from: { id: last.id, seenAt: same.at(-1)!.detectedAt.toISOString() },
    letGoBy: by
      ? {
          ...{ name: by.actorName, mode: by.mode === 'in-place' ? 'in-place' : 'replace', stood },
          ...(edited ? { edited } : {}),
        }
      : null,
    approved,
    taken: taken > 0,
    movedBy: left?.moves ? left.name : null,
    rejected: newest?.mode === 'reject' && newest.cutOff && newest.acceptedAt ? newest : null,
    paused: pausedAt && !pausedUntilHeld ? { pausedBy, pausedReason, pausedAt } : null,
    stopped: stoppedAt
      ? { stoppedBy, stoppedWhy, stoppedAt }
      : counted
        ? { stoppedBy: '', stoppedWhy: COUNTED, stoppedAt: now }
        : null,
    untilHeld: pausedUntilHeld
      ? { pausedBy, pausedReason, pausedAt, pausedUntilHeld }
      : byStep && !pausedAt
        ? { pausedBy: by.actorName, pausedReason: BY_STEPS, pausedAt: now, pausedUntilHeld: true }
        : null,
  }
}

/** The same of a change that is there. */
export async function continuedOfChange(tx: Tx, id: string): Promise<Continued | null> {
  const select = { clusterId: true, groupId: true, digest: true, detectedAt: true, changeSet: true }
  const change = await tx.change.findUnique({ where: { id }, select })
  if (!change) return null
  const of = { ...change, pairs: changeSetOf(change).pairs ?? [] }
  return continuedFrom(tx, of, change.detectedAt, { detectedAt: { lt: change.detectedAt } })
}
