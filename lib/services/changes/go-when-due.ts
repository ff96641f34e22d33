import { db } from '@/lib/db/client'
import { log } from '@/lib/log'
import { systemCtx } from '../context'
import { ServiceError } from '../errors'
import { rulesFor } from '../policies/rules-for'
import { timingOf } from '../policies/timing'
import { recordAndApply } from './record'

/**
 * Lets a change go, or go on, whose approvals are there and whose time has come; else leaves it. Where approvals are
 * missing by now, or it is not allowed or possible so any more, it waits for people again. Throws where it cannot be known.
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
    // What cannot be known may be known later; what is not allowed, or cannot be done so, waits for people.
    if (!(error instanceof ServiceError) || !['conflict', 'invalid'].includes(error.code)) throw error
    log().warn({ err: error, changeId }, 'what was approved for its time cannot go so any more; it waits for people')
    await db().change.updateMany({ where: { id: changeId, fingerprint, dueMode }, data: { dueMode: null } })
    return false
  }
}
