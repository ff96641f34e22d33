import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { wayByItself } from '@/lib/domain/policies'
import { recordAudit } from '../audit/record'
import { outlookIn } from '../changes/change-row'
import { requireDecidable } from '../changes/decidable'
import { isForPeople } from '../changes/for-people'
import { giveApproval } from '../changes/give-approval'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { rulesFor } from '../policies/rules-for'

const WAITS = 'waiting for approval'

/**
 * Why a group must not get the version that its managed Cluster has for it; null: it may, for that would be let go at once. By
 * the very rules by which it is let go afterwards, but for what the group cannot be before it has that version. What may is on
 * record, in one transaction with the answer.
 */
export async function whyNotYet(
  ctx: Ctx,
  change: Change,
  asked: { hook: string; version: string },
): Promise<string | null> {
  try {
    return await db().$transaction((tx) => look(tx, ctx, change, asked))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const why = error.message.replace(/\.$/, '')
    return change.dueMode ? why : `${WAITS} (${why})`
  }
}

async function look(tx: Tx, ctx: Ctx, change: Change, { hook, version }: { hook: string; version: string }) {
  const { id: changeId, fingerprint, dueMode, state } = change
  if (state === 'rejected' && !dueMode) return 'rejected'
  const byItself = dueMode ? null : wayByItself(await rulesFor(tx, change), outlookIn(change), change.groupKind)
  const mode = (dueMode as 'in-place' | 'replace' | null) ?? byItself
  if (!mode || (!dueMode && (await isForPeople(change)))) return WAITS
  const wish = { changeId, fingerprint, mode, by: dueMode ? ('calendar' as const) : ('policy' as const) }
  const decidable = await requireDecidable(tx, wish)
  await giveApproval(tx, ctx, decidable, { ...wish, atHook: true })
  await recordAudit(tx, ctx, {
    action: 'change.handed-down',
    target: { kind: change.groupKind, id: change.id, name: `${change.namespace}/${change.groupName}` },
    cluster: { id: change.clusterId, name: decidable.cluster.name },
    details: { summary: change.summary, mode, hook, version },
  })
  return null
}
