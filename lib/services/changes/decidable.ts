import type { Tx } from '@/lib/db/client'
import type { Change, ManagementCluster, Policy } from '@/lib/db/generated/client'
import { requireConnected } from '../clusters/connected'
import { ServiceError } from '../errors'
import { configsOf } from '@/lib/domain/changes/configs'
import { changeSetOf, outlookIn, type DecisionMode } from './change-row'
import { lockChange } from './lock-change'
import { asksNobodyHere, nobodyDecidesAmong } from './nobody-decides'
import { planeRisks } from './plane'
import { requireTypedName } from './typed-name'

export interface Wish {
  changeId: string
  fingerprint: string
  mode: DecisionMode
  reason?: string | undefined
  typedName?: string | undefined
  /** Of a control plane: one machine, and then it waits. */
  oneByOne?: boolean | undefined
  /** How many machines the group wanted, as the person saw it. */
  replicas?: number | undefined
  /** How many machines were to be deleted in this way, as the person saw it. */
  deletions?: number | undefined
  /** Of a pool: its maxUnavailable, as the person saw it. */
  maxUnavailable?: string | undefined
  /** What the whole configurations of its machines were to be, as the person saw it. */
  configs?: string | null | undefined
  /**
   * Not from input, only the worker says so. `policy`: it asks nobody. `calendar`: enough people approved it, and its time
   * has come.
   */
  by?: 'policy' | 'calendar'
  /** Only asks whether it would go, were the group given the version of its Cluster: nothing is recorded. */
  atHook?: true
}

export type Decidable = Change & { cluster: ManagementCluster & { policy: Policy | null } }

const OPEN = ['waiting', 'rejected']

/** The change that is to be decided, locked; else an error that says why it cannot be, or not in this way. */
export async function requireDecidable(tx: Tx, wish: Wish): Promise<Decidable> {
  // The cluster before its changes: so does who disconnects it.
  const known = await tx.change.findUnique({ where: { id: wish.changeId }, select: { clusterId: true } })
  if (!known) throw new ServiceError('not-found', 'There is no such change.')
  await requireConnected(tx, known.clusterId, wish.by ? 'unavailable' : 'conflict')
  await lockChange(tx, wish.changeId)
  const change = await tx.change.findUnique({
    where: { id: wish.changeId },
    include: { cluster: { include: { policy: true } } },
  })
  if (!change) throw new ServiceError('not-found', 'There is no such change.')
  if (change.cluster.policy?.reasonNeeded && !wish.reason && !wish.by)
    throw needsReason('The governance of this management cluster asks for a reason.')
  if (change.fingerprint !== wish.fingerprint) throw anotherNow()
  if (editedSince(change, wish)) throw anotherNow()
  // What the worker read may have been decided otherwise since.
  if (wish.by === 'calendar' && change.dueMode !== wish.mode) throw tooLate(change.state)
  if (
    wish.by === 'policy' &&
    (change.state !== 'waiting' ||
      change.dueMode !== null ||
      (await tx.decision.count({ where: { changeId: change.id } })))
  )
    throw tooLate(change.state)
  if (!wish.by && (await nobodyDecidesAmong(tx, [change])).size > 0) throw asksNobodyHere()
  if (wish.oneByOne && change.groupKind !== 'KubeadmControlPlane')
    throw new ServiceError('invalid', 'Only control planes go machine by machine.')
  const impossible = whyNoWay(change, wish)
  if (impossible) throw impossible
  // Whether whoever approved it typed the name is on record with the approval.
  if (wish.by !== 'calendar')
    requireTypedName(change, wish.mode, await planeRisks(tx, change, wish.mode), wish.typedName)
  // Rejected already: anew where somebody has approved it since.
  const anew = wish.mode === 'reject' && change.state === 'rejected'
  const standing = anew ? await tx.approval.count({ where: { changeId: change.id, endedAt: null } }) : 1
  if (!isUndecided(change) || standing === 0) throw tooLate(change.state)
  return change
}

export const needsReason = (message: string): ServiceError =>
  new ServiceError('invalid', message, { fields: [{ field: 'reason', message: 'Say why.' }] })

export const anotherNow = (): ServiceError =>
  new ServiceError('conflict', 'The desired state changed while you were looking at it.', {
    hint: 'Look at what it is now, and decide again.',
  })

/** The whole configuration of its machines is another one than was looked at, also beside the fields that differ: updaters are sent all of it. */
export const editedSince = (
  { changeSet }: Pick<Change, 'changeSet'>,
  { mode, configs }: { mode: DecisionMode; configs?: string | null | undefined },
): boolean => mode !== 'reject' && configs !== undefined && configsOf(changeSetOf({ changeSet })) !== configs

export const isUndecided = ({ state }: Pick<Change, 'state'>): boolean => OPEN.includes(state)

/** `why`: a sentence of its own. */
export const notInPlaceWords = (why: string | undefined): string =>
  `This cannot be done in place${why ? `. ${why}` : ': nobody covers it.'}`

/** Not replaced by Cluster API whatever updaters say. */
export const coverable = (change: Pick<Change, 'changeSet'>): boolean =>
  changeSetOf(change).pairs.some(({ certainReplace }) => !certainReplace)

/** Some say themselves what to do. */
const hintBeside = (why = ''): string | undefined => (/approve replacing/i.test(why) ? undefined : 'Approve replacing.')

/** Why it cannot be done in this way at all, whatever is allowed; null: it can. */
export function whyNoWay(
  change: Pick<Change, 'changeSet' | 'outlook'>,
  { mode, by }: Pick<Wish, 'mode' | 'by'>,
): ServiceError | null {
  const { inPlace, whyNotInPlace, blocked, only, uncovered } = outlookIn(change)
  if (only && mode === 'replace')
    return new ServiceError('invalid', 'A configuration replaces no node: approve it in place.')
  // Nobody is there to look: what is not possible now may be in a moment, and was approved so.
  if (by && mode !== 'reject' && (blocked || (mode === 'in-place' && inPlace === null)))
    return new ServiceError('unavailable', blocked ?? whyNotInPlace ?? 'nobody covers it.')
  if (mode === 'in-place' && inPlace === null)
    return new ServiceError('invalid', notInPlaceWords(whyNotInPlace), {
      hint:
        uncovered.length > 0
          ? 'Approve replacing, or configure an updater that covers the change.'
          : hintBeside(whyNotInPlace),
    })
  const { pairs } = changeSetOf(change)
  const unread = pairs.find((pair) => pair.unread)?.unread
  if (mode !== 'reject' && unread) return new ServiceError('conflict', unread)
  const missing = pairs.find((pair) => pair.missing)?.missing
  if (mode !== 'reject' && missing)
    return new ServiceError(
      'conflict',
      `The template ${missing} does not exist: Cluster API would not move anything, or nobody knows what.`,
      { hint: 'Create it (again); the change is then shown with what it brings.' },
    )
  return null
}

export function tooLate(state: string): ServiceError {
  if (state === 'reverted') return new ServiceError('conflict', 'It was changed back: nothing is left to decide.')
  if (state === 'superseded')
    return new ServiceError('conflict', 'This change is over: a newer one took its place, or the group is gone.', {
      hint: 'The page of the change says which.',
    })
  return new ServiceError('conflict', `Somebody was faster: this change is ${state} by now.`, {
    hint: 'Reload the page to see who decided what.',
  })
}
