import { isBound } from '@/lib/domain/changes/bound'
import { db, type Tx } from '@/lib/db/client'
import type { Change, Decision } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import {
  shapeMissing,
  shapePolicies,
  shapeWanted,
  shapeWords,
  standingOf,
  wayByItself,
  whyNotThisWay,
  type Approval,
  type Resolved,
} from '@/lib/domain/policies'
import type { RevisionPair } from '@/lib/domain/changes'
import { isPool } from '@/lib/domain/latch/hold'
import type { KubeObject } from '@/lib/kubernetes/types'
import { rolloutShapeOf } from '@/lib/providers/cluster-api'
import { groupShapeOf } from '@/lib/providers/cluster-api/shape'
import { ServiceError } from '../errors'
import { authorOf } from '../policies/author'
import { rulesFor } from '../policies/rules-for'
import { snapshotOf } from '../policies/snapshot'
import { timingToGo } from '../policies/shape'
import { closedWords, TIMED } from '../policies/timing'
import { approvalsWhere, unseenAtOnce, unseenDeletions } from './approvals'
import { outlookIn } from './change-row'
import { atOnceIn } from './counts-no-more'
import { moreAtOnceWords, moreDeletedWords } from './give-approval'
import { isUnwatched, UNWATCHED } from './not-placed'
import { anyBegun } from './take-back'

/**
 * Why the policies do not let a decision go out, as they are now: asked again right before, for a decision may have lain
 * there, an approval have been taken back, and a policy have become stricter. `deletions`: how many machines would be deleted by now.
 * How many nodes of a pool go at once stands on the object itself.
 */
export async function policyForbids(
  decision: Decision & { change: Change },
  object: KubeObject,
  deletions: () => Promise<number> | number,
): Promise<{ why: string; awaitsTime?: true } | null> {
  const rules = await rulesFor(db(), decision.change)
  // Somebody may have paused it since it was read.
  const change = await db().change.findUniqueOrThrow({
    where: { id: decision.changeId },
    select: { ...TIMED, ...{ id: true, clusterId: true, heldBy: true, shape: true, groupKind: true } },
  })
  const now = await databaseNow(db())
  const timing = timingToGo(rules, change, now)
  const unlike = timing.open ? await unlikePolicies(decision.change, rules, object) : null
  // As its policies have it: a spare that they take away is none that was not shown.
  const why = await whyForbidden(db(), decision, rules, {
    now,
    ...(timing.open && !unlike ? { deletions, pool: poolIn(object) } : {}),
  })
  if (why) return { why: `${why} Nothing was released.` }
  if (unlike) return { why: `${unlike} Nothing was released; it goes by itself when that is so.`, awaitsTime: true }
  if (timing.open) {
    const why = `${UNWATCHED} Nothing was released; it goes by itself when one does, and its wave is open.`
    return (await isUnwatched(db(), rules, change)) ? { why, awaitsTime: true } : null
  }
  const place = timing.why === 'wave' ? timing.wave.place : null
  const word =
    place?.state === 'stopped'
      ? 'lets its waves go on'
      : place?.needsPerson && !place.asksPerson
        ? 'sees to the wave before it'
        : place?.asksThen
          ? 'says that its wave begins'
          : null
  const then = word ? `it waits until somebody ${word}` : 'it goes by itself then'
  return { why: `It is ${closedWords(timing)}. Nothing was released; ${then}.`, awaitsTime: true }
}

/**
 * Why what was stored already is not to stand: by the policies of now. What only its time keeps is held to that as soon as it is
 * accepted. Where policies cannot be known, it was allowed when it was sent, as long as those who approved it stand by that.
 */
export async function forbidsStored(decision: Decision & { change: Change }): Promise<string | null> {
  if (decision.mode === 'reject') return null
  const why = await whyNotStored(decision)
  return why && `${why} It had been released: its group is held again.`
}

async function whyNotStored(decision: Decision & { change: Change }): Promise<string | null> {
  try {
    return await whyForbidden(db(), decision, await rulesFor(db(), decision.change), { now: await databaseNow(db()) })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const snapshot = snapshotOf(decision)
    if (!snapshot || snapshot.byItself) return null
    const approvals = await approvalsWhere(db(), { decisionId: decision.id })
    // Of who may not approve any more nothing is read.
    const all = approvals.length > 0 && approvals.length >= snapshot.approvals.length
    const stand = all && approvals.every(({ endedAt }) => endedAt === null)
    return stand ? null : 'Its approvals do not stand any more.'
  }
}

/** What a date moves, and how many machines its group is to have. */
export interface ByDate {
  pairs: readonly Pick<RevisionPair, 'machines' | 'certainReplace'>[]
  replicas: number
}

/**
 * Whether what let a group go lets go by now what its date moves: by the policies of now, and no more machines than were shown. It does
 * not expire. Where policies cannot be known, those who hold to its times see to it.
 */
export async function standsAtDate(
  decision: Decision & { change: Change },
  { pairs, replicas }: ByDate,
): Promise<boolean> {
  const goes = pairs.filter(({ certainReplace }) => decision.mode === 'replace' || certainReplace)
  const count = goes.reduce((sum, { machines }) => sum + machines, 0)
  try {
    // What is too many besides, while it moves, goes all the same.
    const asked = { now: await databaseNow(db()), deletions: () => Math.min(count, replicas), byDate: true }
    return (await whyForbidden(db(), decision, await rulesFor(db(), decision.change), asked)) === null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return true
  }
}

/** What approvals count for only as far as they showed it, as it is now. `byDate`: it was let go, and that comes again. */
interface ByNow {
  now: Date
  deletions?: () => Promise<number> | number
  pool?: { limit: string; machines: number } | null
  byDate?: boolean
}

const poolIn = (object: KubeObject): ByNow['pool'] => (isPool(object) ? atOnceIn(object) : null)

/** Why these rules do not let it go its way. What it would move is asked only where `deletions` and `pool` are given. */
export async function whyForbidden(
  tx: Tx,
  decision: Decision & { change: Change },
  rules: Resolved,
  { now, deletions, pool, byDate = false }: ByNow,
): Promise<string | null> {
  const { change } = decision
  const mode = decision.mode as Approval['mode']
  const outlook = outlookIn(change)
  const forbidden = whyNotThisWay(mode, rules, outlook)
  if (forbidden) return forbidden
  if (snapshotOf(decision)?.byItself)
    return wayByItself(rules, outlook, change.groupKind) === mode ? null : 'The policy asks for approvals by now.'
  // A decision from before there were policies is the word of one person.
  const rows = snapshotOf(decision) ? await approvalsWhere(tx, { decisionId: decision.id }) : null
  const given = byDate && rows ? rows.map((row) => ({ ...row, begun: false })) : rows
  const asks = deletions && isBound(change.groupKind, mode) && given?.some(({ begun }) => !begun)
  const gone = asks ? await deletions() : 0
  const faster = given?.some((row) => unseenAtOnce(row, pool)) ?? false
  const approvals = given?.filter((row) => !unseenDeletions(row, gone) && !unseenAtOnce(row, pool)) ?? [own(decision)]
  const counted = byDate ? approvals.map((row) => ({ ...row, begun: true })) : approvals
  const { needed, missing } = standingOf(counted, mode, rules, await authorOf(tx, change.author), now)
  if (missing === 0) return null
  const more = faster ? moreAtOnceWords(pool!.limit) : moreDeletedWords(gone)
  const besides = given && approvals.length < given.length ? ` ${more}` : ''
  return `${needed - missing} of the ${needed} approvals that the policy asks for ${needed - missing === 1 ? 'counts' : 'count'} by now: approve it again.${besides}`
}

const own = ({ actorId, mode, recordedAt, reason }: Decision): Approval => ({
  ...{ actorId, mode: mode as Approval['mode'], at: recordedAt, reason, expiresAt: null, endedAt: null },
})

/** Somebody may have written to its group since it was looked at. What has begun, and what Drydock does not hold, stays as it is. */
async function unlikePolicies(
  { id, groupKind: kind, heldBy }: Change,
  rules: Resolved,
  object: KubeObject,
): Promise<string | null> {
  if (heldBy !== 'latch' && heldBy !== 'gate') return null
  const group = { ...object, kind }
  const { strategy } = rolloutShapeOf(group)
  const missing = shapeMissing(shapeWanted(rules, { kind, strategy }), groupShapeOf(group))
  if (!missing) return null
  if (await anyBegun(db(), id)) return null
  return `Its group is not as the policy ${shapePolicies(rules)} says (${shapeWords(missing)}).`
}
