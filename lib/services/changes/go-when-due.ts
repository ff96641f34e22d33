import { db } from '@/lib/db/client'
import { systemCtx } from '../context'
import { rulesFor } from '../policies/rules-for'
import { timingOf } from '../policies/timing'
import { ApprovalsMissing } from './give-approval'
import { recordAndApply } from './record'

/**
 * Lets a change go, or go on, whose approvals are there and whose time has come; else leaves it. Where approvals are
 * missing by now it waits for people again. Throws where it cannot be known or done.
 */
export async function goWhenDue(changeId: string): Promise<boolean> {
  const change = await db().change.findUnique({ where: { id: changeId } })
  if (!change?.dueMode || !['waiting', 'rejected'].includes(change.state)) return false
  if (!timingOf(await rulesFor(db(), change), change).open) return false
  const { fingerprint, dueMode } = change
  const mode = dueMode as 'in-place' | 'replace'
  try {
    await recordAndApply(systemCtx('calendar'), { changeId, fingerprint, mode, by: 'calendar' })
    return true
  } catch (error) {
    if (!(error instanceof ApprovalsMissing)) throw error
    await db().change.updateMany({ where: { id: changeId, fingerprint, dueMode }, data: { dueMode: null } })
    return false
  }
}
