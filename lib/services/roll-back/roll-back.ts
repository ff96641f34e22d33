import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { recordAudit, type AuditEntry } from '../audit/record'
import { lockOpen, recordOn } from '../changes/open-change'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { planContext } from '../plan/context'
import { refusalOf } from '../plan/words'
import { serverWords } from '../server-words'
import { changeOfGoingBack } from './former'
import { lookBack, type Looked } from './look'
import { RollBackInput } from './schemas'

export interface RolledBack {
  /** The API server's own words. */
  answer: string
}

/**
 * Writes to a worker group what it was before a change: exactly the plan that was looked at, held in the same write. Nothing
 * moves by it; what comes of it is a change of its own, that waits for approval like any other.
 */
export async function rollBack(ctx: Ctx, input: unknown): Promise<RolledBack> {
  requirePermission(ctx, 'changes:roll-back')
  const { changeId, reason, ...seen } = parseInput(RollBackInput, input)
  const change = await changeOfGoingBack(changeId)
  const context = await planContext(change.clusterId)
  const looked = await lookBack(context, change).catch((error: unknown) => {
    if (error instanceof ServiceError) throw error
    const { sentence, answer } = refusalOf(error, `the former state of ${change.groupName}`)
    throw new ServiceError('refused', sentence, { answer })
  })
  const { group, set, compared } = looked
  if (looked.why) throw new ServiceError('conflict', looked.why)
  if (group.metadata.resourceVersion !== seen.resourceVersion || compared.fingerprint !== seen.fingerprint)
    throw new ServiceError('conflict', `${change.groupName} changed since this was planned. Nothing was written.`, {
      hint: 'Plan going back again, and look at what it does now.',
    })
  await db().$transaction(async (tx) => {
    const open = await lockOpen(tx, changeId)
    const details = { from: set.metadata.name, fingerprint: seen.fingerprint, resourceVersion: seen.resourceVersion }
    await recordOn(tx, ctx, open, 'change.roll-back', reason, details)
  })
  const author = await authorOf(ctx)
  const cluster = { id: change.clusterId, name: context.clusterName }
  const told = (entry: Pick<AuditEntry, 'result' | 'answer'>) =>
    db().$transaction((tx) =>
      recordAudit(tx, ctx, { ...entry, action: 'change.rolled-back', reason, cluster, target: targetOf(change) }),
    )
  const answer = await write(looked, context.client, author).catch(async (error: unknown) => {
    const failed = failureOf(error, change)
    await told({ result: failed.code === 'unavailable' ? 'failed' : 'refused', answer: failed.more.answer ?? null })
    throw failed
  })
  await told({ answer })
  return { answer }
}

async function write({ resource, group, body }: Looked, client: KubeClient, author: string): Promise<string> {
  const { name, namespace } = group.metadata
  const stored = await client.patch(resource, name, namespace, 'merge', body, { author })
  return `stored as resourceVersion ${stored.metadata.resourceVersion}`
}

const targetOf = ({ id, groupKind, groupName, namespace }: Change) => ({
  ...{ kind: groupKind, id, name: `${namespace}/${groupName}` },
})

/** By the address of the account, where there is one: so policies know who wrote the change that comes of it. */
async function authorOf({ actor }: Ctx): Promise<string> {
  const user = await db().user.findUnique({ where: { id: actor.id }, select: { email: true } })
  return (user?.email ?? actor.name).slice(0, 128)
}

function failureOf(error: unknown, { groupName }: Change): ServiceError {
  if (error instanceof KubeUnreachable)
    return new ServiceError('unavailable', 'The cluster did not answer, so it is not known whether it stored this.', {
      hint: `Plan going back again: that reads ${groupName} anew.`,
      answer: error.message,
    })
  if (!(error instanceof KubeError)) throw error
  const sentence =
    error.code === 409
      ? `Somebody wrote to ${groupName} at the same moment. Nothing was written.`
      : `The API server refused to write to ${groupName}.`
  return new ServiceError(error.code === 409 ? 'conflict' : 'refused', sentence, {
    hint: 'Plan going back again, and look at what it does now.',
    answer: serverWords(error),
  })
}
