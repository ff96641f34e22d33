import type { Tx } from '@/lib/db/client'
import { durationOf, standingOf, wayByItself, whyNotThisWay, type Standing } from '@/lib/domain/policies'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { authorOf } from '../policies/author'
import { rulesFor } from '../policies/rules-for'
import type { PolicySnapshot } from '../policies/snapshot'
import { approvalsWhere } from './approvals'
import { outlookIn } from './change-row'
import { needsReason, type Decidable, type Wish } from './decidable'

export interface Given {
  standing: Pick<Standing, 'needed' | 'missing' | 'oneMore'>
  /** What a decision of now rests on; where some are missing, there is none yet. */
  snapshot: PolicySnapshot
  /** The approvals that count, and when the first of them ends. */
  ids: string[]
  expiresAt: Date | null
}

/** Keeps a person's approval where the policy lets them give it, and says whether it is enough. The change is locked. */
export async function giveApproval(tx: Tx, ctx: Ctx, change: Decidable, wish: Wish): Promise<Given> {
  const mode = wish.mode as 'in-place' | 'replace'
  const rules = await rulesFor(tx, change)
  const forbidden = whyNotThisWay(mode, rules, outlookIn(change))
  if (forbidden)
    throw new ServiceError('conflict', forbidden, { hint: 'The page Policies says what applies, and why.' })
  if (wish.byItself) {
    if (wayByItself(rules, outlookIn(change), change.groupKind) !== mode)
      throw new ServiceError('conflict', 'The policy asks for approvals by now.')
    return {
      ...{ standing: { needed: 0, missing: 0, oneMore: false }, ids: [], expiresAt: null },
      snapshot: { rules, byItself: true, approvals: [] },
    }
  }
  const author = await authorOf(tx, change.author)
  if (rules.notTheAuthor.value && author.isBy(ctx.actor.id))
    throw new ServiceError('forbidden', `You wrote this change (${change.author}), and nobody approves their own.`, {
      hint: `The policy ${rules.notTheAuthor.policy?.name} says so: somebody else has to approve it.`,
    })
  if (rules.reasonRequired.value && !wish.reason)
    throw needsReason(`The policy ${rules.reasonRequired.policy?.name} asks for a reason.`)
  const now = new Date()
  const lasts = durationOf(rules.expiresAfter.value)
  const before = { changeId: change.id, actorId: ctx.actor.id, endedAt: null }
  await tx.approval.updateMany({ where: before, data: { endedAt: now, endedWhy: 'anew' } })
  await tx.approval.create({
    data: {
      ...{ changeId: change.id, fingerprint: change.fingerprint, mode, at: now, reason: wish.reason ?? null },
      ...{ actorId: ctx.actor.id, actorName: ctx.actor.name },
      expiresAt: lasts === null ? null : new Date(now.getTime() + lasts),
    },
  })
  const rows = await approvalsWhere(tx, { changeId: change.id, fingerprint: change.fingerprint })
  const { standing, needed, missing, oneMore } = standingOf(rows, mode, rules, author, now)
  const counted = rows.filter((row) => standing.includes(row))
  const ends = counted.flatMap(({ expiresAt }) => expiresAt ?? [])
  return {
    standing: { needed, missing, oneMore },
    ids: counted.map(({ id }) => id),
    expiresAt: ends.length > 0 ? new Date(Math.min(...ends.map((at) => at.getTime()))) : null,
    snapshot: {
      ...{ rules, byItself: false },
      approvals: counted.map(({ actorId, actorName, reason, at }) => ({
        ...{ actorId, actorName, reason, at: at.toISOString() },
      })),
    },
  }
}
