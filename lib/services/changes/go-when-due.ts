import { namedIn } from '@/lib/kubernetes/paths'
import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { ServiceError } from '../errors'
import { rulesFor } from '../policies/rules-for'
import { timingToGo } from '../policies/shape'
import { NEWEST_DECISION } from './change-row'
import { overLimit } from './failing'
import { lockChange } from './lock-change'
import { recordAndApply } from './record'
import { putOffsOf, triedAtOf, triesIn } from './tries'

/**
 * Lets a change go, or go on, whose approvals are there and whose time has come; else leaves it. Where approvals are
 * missing by now, or its policy does not allow it so any more, it waits for people again. Throws where it cannot be known,
 * or not be done for the moment.
 */
export async function goWhenDue(changeId: string): Promise<boolean> {
  const change = await db().change.findUnique({
    where: { id: changeId },
    include: { cluster: { select: { name: true } } },
  })
  if (!change?.dueMode || !['waiting', 'rejected'].includes(change.state)) return false
  const rules = await rulesFor(db(), change)
  const now = await databaseNow(db())
  if (!timingToGo(rules, change, now).open || (await waitsToTryAgain(changeId, now.getTime()))) return false
  // Machines that had begun went on, and failed: the worker stops it in a moment.
  if (!change.neverStops && (await overLimit(db(), [{ ...change, rules }])).length > 0) return false
  const { fingerprint, dueMode } = change
  const mode = dueMode as 'in-place' | 'replace'
  try {
    await recordAndApply(systemCtx('calendar'), { changeId, fingerprint, mode, by: 'calendar' })
    return true
  } catch (error) {
    if (!(error instanceof ServiceError) || !['conflict', 'invalid'].includes(error.code)) throw error
    await isForPeople(change, error)
    return false
  }
}

async function isForPeople(change: Change & { cluster: { name: string } }, { message }: ServiceError): Promise<void> {
  const { id, fingerprint, dueMode, clusterId } = change
  await db().$transaction(async (tx) => {
    await lockChange(tx, id)
    const where = { id, fingerprint, dueMode, state: change.state }
    const { count } = await tx.change.updateMany({ where, data: { dueMode: null } })
    if (count === 0) return
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [id] })
    await recordAudit(tx, systemCtx('calendar'), {
      action: 'change.not-due',
      target: { kind: change.groupKind, id, name: namedIn(change.namespace, change.groupName) },
      cluster: { id: clusterId, name: change.cluster.name },
      reason: message,
      details: { summary: change.summary, mode: dueMode },
    })
  })
}

const FIRST_MS = 30_000
const MOST_MS = 15 * 60_000

/** What could not be sent when its time had come is tried again, ever more seldom. */
async function waitsToTryAgain(changeId: string, now: number): Promise<boolean> {
  const newest = await db().decision.findFirst({ where: { changeId }, ...NEWEST_DECISION })
  const last = newest && triedAtOf(newest)
  return !!last && now - last.getTime() < Math.min(MOST_MS, FIRST_MS * 2 ** (triesIn(putOffsOf(newest)) - 1))
}
