import { namedIn } from '@/lib/kubernetes/paths'
import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { wayByItself } from '@/lib/domain/policies'
import { recordAudit } from '../audit/record'
import { cannotBe } from '../changes/cannot-be'
import { outlookIn } from '../changes/change-row'
import { requireDecidable, type Wish } from '../changes/decidable'
import { isForPeople } from '../changes/for-people'
import { giveApproval } from '../changes/give-approval'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { rulesFor } from '../policies/rules-for'

const WAITS = 'waiting for approval'

interface Asked {
  hook: string
  version: string
}

/**
 * Why a group must not get the version that its managed Cluster has for it; null: it may, for that would be let go at once. By
 * the very rules by which it is let go afterwards, but for what the group cannot be before it has that version. What may is on
 * record, in one transaction with the answer.
 */
export async function whyNotYet(ctx: Ctx, change: Change, asked: Asked): Promise<string | null> {
  const { dueMode, state } = change
  if (state === 'rejected' && !dueMode) return 'rejected'
  try {
    const mode = (dueMode as Wish['mode'] | null) ?? (await modeByItself(change))
    if (mode !== 'in-place' && mode !== 'replace') return WAITS
    const { id: changeId, fingerprint } = change
    const wish = { changeId, fingerprint, mode, by: dueMode ? ('calendar' as const) : ('policy' as const) }
    const cannot = dueMode ? await cannotBe(mode, change) : null
    if (cannot) return cannot.replace(/\.$/, '')
    await db().$transaction((tx) => look(tx, ctx, wish, asked))
    return null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const why = error.message.replace(/\.$/, '')
    return dueMode ? why : `${WAITS} (${why})`
  }
}

/** The way in which its policy lets it go without asking anybody; null: it asks, or people had a word. */
async function modeByItself(change: Change): Promise<'in-place' | 'replace' | null> {
  const mode = wayByItself(await rulesFor(db(), change), outlookIn(change), change.groupKind)
  return mode && !(await isForPeople(change)) ? mode : null
}

async function look(tx: Tx, ctx: Ctx, wish: Wish, { hook, version }: Asked): Promise<void> {
  const change = await requireDecidable(tx, wish)
  const { ids } = await giveApproval(tx, ctx, change, { ...wish, atHook: true })
  const details = { summary: change.summary, mode: wish.mode, hook, version, approvals: ids.toSorted() }
  // Where somebody else blocks as well it is asked again and again.
  const action = 'change.handed-down'
  const before = { action, targetId: change.id, details: { equals: details } }
  if ((await tx.auditEvent.count({ where: before })) > 0) return
  await recordAudit(tx, ctx, {
    ...{ action, details },
    target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
    cluster: { id: change.clusterId, name: change.cluster.name },
  })
}
