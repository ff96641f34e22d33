import { db } from '@/lib/db/client'
import { effective, endOf, isForbidden, type Resolved, type TooEarly } from '@/lib/domain/policies'
import { may, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { snapshotOf, type PolicySnapshot } from '../policies/snapshot'
import { asksForApproval } from './asks-for-approval'
import type { ChangeDto } from './change-row'
import { listedStanding, type ListedStanding } from './listed-standing'
import { mayStillApprove, type MayApprove } from './may-approve'
import { OPEN } from './states'
import { standingsOf, type WayStanding, type WhyNot } from './standing'
import { anyBegun, begunBy } from './take-back'
import { pausedByOthers } from './their-pause'
import type { Unasked } from './unasked'

export interface ApprovalDto {
  id: string
  actorName: string
  mode: 'in-place' | 'replace'
  /** Of a control plane: one machine, and then it waits. */
  oneByOne: boolean
  reason: string | null
  at: string
  /** By the rules of now, of what is over by those of then; null: it does not end by itself. */
  expiresAt: string | null
  endedAt: string | null
  /** withdrawn | rejected | anew | void */
  endedWhy: string | null
  mine: boolean
  /** This person may take it back. `holds`: it was let go already, and is held again then. Null: not, or not any more. */
  takeBack: 'plain' | 'holds' | null
  /** Why it does not count now; null: it does. */
  whyNot: WhyNot | null
}

/** What policies ask of a change that is not decided yet, and what was asked of one that is. */
export interface ChangePolicy {
  rules: Resolved
  ways: Record<'in-place' | 'replace', WayStanding>
  listed: ListedStanding
  approvals: ApprovalDto[]
  /** Who may still approve it; null: nobody is asked any more. */
  mayApprove: MayApprove | null
  /** What is approved now would end before it may go. */
  early: TooEarly | null
  /** Its policy asks nobody; null: it asks somebody. */
  unasked: Unasked | null
  /** The policy does not let this person approve: they wrote it. */
  own: boolean
  authorKnown: boolean
  /** With the newest decision: what held then. */
  decided: PolicySnapshot | null
}

/** Where what policies ask cannot be known: why, and nothing can be approved. */
export interface PolicyProblem {
  problem: string
  hint: string | null
}

export async function policyOfChange(ctx: Ctx, change: ChangeDto): Promise<ChangePolicy | PolicyProblem> {
  const [rows, decision, group] = await Promise.all([
    db().approval.findMany({ where: { changeId: change.id }, orderBy: [{ at: 'asc' }, { id: 'asc' }] }),
    change.decision ? db().decision.findUnique({ where: { id: change.decision.id }, select: { policy: true } }) : null,
    db().group.findUnique({ where: { id: change.groupId }, select: { strategy: true } }),
  ])
  try {
    const standing = (await standingsOf([change])).get(change.id)!
    if (standing instanceof ServiceError) throw standing
    const { rules, ways, author, uncounted, early, unasked } = standing
    const listed = listedStanding(standing, change)
    const asks = asksForApproval(change, listed) && !isForbidden(change, listed) && !change.outlook.blocked
    const [begun, begunByIt, kept, mayApprove] = await Promise.all([
      anyBegun(db(), change.id),
      change.decision ? begunBy(db(), change.id, change.decision.id) : false,
      pausedByOthers([change.id]),
      asks ? mayStillApprove(ctx, standing.counting, rules.notTheAuthor.value ? change.author : null) : null,
    ])
    const takeBack = takeBackOf(ctx, change, begunByIt)
    // Let go, it does not expire any more, but where somebody's own pause keeps all of it from beginning.
    const lasts = isLetGo(change) && (begunByIt || kept.size === 0) ? change.decision?.id : undefined
    const asked = decision && snapshotOf(decision)
    // What means nothing for its group must not look as if it held.
    const meant = (all: Resolved) =>
      effective(all, { kind: change.groupKind, strategy: group?.strategy ?? 'RollingUpdate' }).rules
    return {
      rules: meant(rules),
      ...{ ways, early, unasked, listed, mayApprove },
      own: rules.notTheAuthor.value && author.isBy(ctx.actor.id),
      authorKnown: author.known,
      approvals: rows.map((row) => {
        const { id, actorId, actorName, mode, reason, at, endedAt, endedWhy } = row
        const stays = row.decisionId !== null && row.decisionId === lasts
        // What is over is not judged by the rules of now.
        const end = stays ? null : endedAt ? (row.begun ? null : row.expiresAt) : endOf(row, rules)
        const why = reasonOf(uncounted.get(id) ?? null, stays)
        return {
          ...{ id, actorName, mode: mode as ApprovalDto['mode'], reason, endedWhy, mine: actorId === ctx.actor.id },
          oneByOne: row.oneByOne,
          whyNot: why,
          // Of what has expired there is nothing left to take back.
          // Nor of what was let go by it, and has begun.
          takeBack:
            actorId === ctx.actor.id && endedAt === null && !isExpired(why) && !(begun && row.begun) ? takeBack : null,
          ...{
            at: at.toISOString(),
            expiresAt: end?.toISOString() ?? null,
            endedAt: endedAt?.toISOString() ?? null,
          },
        }
      }),
      decided: asked && { ...asked, rules: meant(asked.rules) },
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { problem: error.message, hint: error.more.hint ?? null }
  }
}

/** What is let go rests on what was said then. */
const reasonOf = (why: WhyNot | null, stays: boolean): WhyNot | null =>
  stays && why && WHILE_IT_WAITS.includes(why) ? null : why
const WHILE_IT_WAITS: readonly WhyNot[] = ['expired', 'too-old', 'fewer', 'deletions', 'at-once']

const isExpired = (why: WhyNot | null): boolean => why === 'expired' || why === 'too-old' || why === 'over'

/** Whether somebody who approved it may take that back now. */
function takeBackOf({ actor }: Ctx, change: ChangeDto, begun: boolean): ApprovalDto['takeBack'] {
  if (!may(actor.role, 'changes:approve') || !OPEN.includes(change.state)) return null
  if (!isLetGo(change)) return 'plain'
  return begun ? null : 'holds'
}

const isLetGo = ({ decision }: ChangeDto): boolean =>
  decision !== null && decision.mode !== 'reject' && ['accepted', 'seen'].includes(decision.state)
