import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import { wayByItself } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { enoughApproved } from '../policies/enough-approved'
import { rulesFor } from '../policies/rules-for'
import { outlookIn } from './change-row'
import { wereByItself } from './give-approval'

/**
 * What waited for its time, and lacks an approval since one was taken back or expired, waits for people, and is spoken of as approved in
 * that way no more. What others said the other way lets it go by nobody’s newest word. What went by itself, and was held half way, needs
 * none. Where rules cannot be known, that is found when its time comes.
 */
export async function stillDue(tx: Tx, change: Change): Promise<void> {
  const { id, dueMode } = change
  if (dueMode === null) return
  const rules = await rulesFor(tx, change).catch((error: unknown) => {
    if (error instanceof ServiceError) return null
    throw error
  })
  if (rules === null || (await enoughApproved(tx, await databaseNow(tx), [{ change, rules }])).has(id)) return
  const asksNobody = wayByItself(rules, outlookIn(change), change.groupKind) === dueMode
  if (asksNobody && (await wereByItself(tx, [id])).has(id)) return
  await tx.change.update({ where: { id }, data: { dueMode: null } })
}
