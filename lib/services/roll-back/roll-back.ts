import { namedIn } from '@/lib/kubernetes/paths'
import type * as z from 'zod'
import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { recordAudit, type AuditEntry } from '../audit/record'
import { lockOpen, recordOn } from '../changes/open-change'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { planContext, type PlanContext } from '../plan/context'
import { refusalOf } from '../plan/words'
import { serverWords } from '../server-words'
import { changeOfGoingBack } from './former'
import { generationOf, lookBack, type Looked } from './look'
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
  const looked = await lookAgain(context, change, seen)
  await db().$transaction(async (tx) => {
    const open = await lockOpen(tx, changeId)
    const { fingerprint, generation } = seen
    const details = { from: looked.set.metadata.name, fingerprint, generation: String(generation) }
    await recordOn(tx, ctx, open, 'change.roll-back', reason, details)
  })
  const author = await authorOf(ctx)
  const cluster = { id: change.clusterId, name: context.clusterName }
  const told = (entry: Pick<AuditEntry, 'result' | 'answer'>) =>
    db().$transaction((tx) =>
      recordAudit(tx, ctx, { ...entry, action: 'change.rolled-back', reason, cluster, target: targetOf(change) }),
    )
  const again = () => lookAgain(context, change, seen)
  const answer = await write(looked, context.client, author, again).catch(async (error: unknown) => {
    const failed = failureOf(error, change)
    await told({ result: failed.code === 'unavailable' ? 'failed' : 'refused', answer: failed.more.answer ?? null })
    throw failed
  })
  await told({ answer })
  return { answer }
}

/** Throws where it is not what was looked at any more. */
async function lookAgain(
  context: PlanContext,
  change: Change,
  seen: Pick<z.infer<typeof RollBackInput>, 'generation' | 'fingerprint'>,
): Promise<Looked> {
  const looked = await lookBack(context, change).catch((error: unknown) => {
    if (error instanceof ServiceError) throw error
    const { sentence, answer } = refusalOf(error, `the former state of ${change.groupName}`)
    throw new ServiceError('refused', sentence, { answer })
  })
  if (looked.why) throw new ServiceError('conflict', looked.why)
  if (generationOf(looked.group) !== seen.generation || looked.compared.fingerprint !== seen.fingerprint)
    throw new ServiceError('conflict', `${change.groupName} changed since this was planned. Nothing was written.`, {
      hint: 'Plan going back again, and look at what it does now.',
    })
  return looked
}

const ATTEMPTS = 5

/** Where somebody wrote between reading and writing (controllers write its status), it is looked at and tried again. */
async function write(first: Looked, client: KubeClient, author: string, again: () => Promise<Looked>): Promise<string> {
  for (let attempt = 1, looked = first; ; attempt++, looked = await again()) {
    const { resource, group, body } = looked
    const { name, namespace } = group.metadata
    try {
      const stored = await client.patch(resource, name, namespace, 'merge', body, { author })
      return `stored as resourceVersion ${stored.metadata.resourceVersion}`
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 409) || attempt === ATTEMPTS) throw error
    }
  }
}

const targetOf = ({ id, groupKind, groupName, namespace }: Change) => ({
  ...{ kind: groupKind, id, name: namedIn(namespace, groupName) },
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
  if (error instanceof ServiceError) return error
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
