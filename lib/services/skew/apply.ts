import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma, SkewAction } from '@/lib/db/generated/client'
import { stanzaShows } from '@/lib/domain/skew/patch'
import { KubeError, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { MACHINE_CONFIGURATION } from '@/lib/providers/openshift/readers'
import { recordAudit } from '../audit/record'
import { claimable, claimed } from '../claim'
import { kubeClientFor } from '../clusters/connection'
import { systemCtx, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { callsOf, requestOf, type SkewCall } from './action-row'
import { failureOf, type Failure } from './answer'
import { changesSince } from './changes-since'
import { markSkewSeen } from './mark-seen'

type Result = { ok: true; code: number; answer: string } | ({ ok: false } & Failure)

/**
 * Applies a recorded action: whoever claims it first, the verb itself or the worker after a crash. The patch carries the
 * resourceVersion that the operator looked at, so doing it a second time cannot do it twice.
 */
export async function applySkewAction(id: string, claimedBy: string, ctx: Ctx = systemCtx('applier')): Promise<void> {
  const row = await claim(id, claimedBy)
  if (!row) return
  const { method, path, contentType, body } = callsOf(row).at(-1) as SkewCall
  const call: SkewCall = { method, path, contentType, body }
  const result = await attempt(row, call)
  await finish(row, claimedBy, ctx, { ...call, at: new Date().toISOString() }, result)
  if (result.ok) await markSkewSeen(row.clusterId)
}

async function claim(id: string, claimedBy: string): Promise<SkewAction | null> {
  const now = new Date()
  const { count } = await db().skewAction.updateMany({ where: claimable(id, now), data: claimed(claimedBy, now) })
  return count === 1 ? db().skewAction.findUniqueOrThrow({ where: { id } }) : null
}

async function attempt(row: SkewAction, call: SkewCall): Promise<Result> {
  try {
    const client = await kubeClientFor(row.clusterId)
    return await patch(client, row, call)
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, sentence: error.message, answer: null, code: null }
    return { ok: false, ...failureOf(error) }
  }
}

async function patch(client: KubeClient, row: SkewAction, call: SkewCall): Promise<Result> {
  let stored: KubeObject
  try {
    stored = await client.patch(MACHINE_CONFIGURATION, 'cluster', undefined, 'merge', call.body)
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 409) throw error
    const now = await client.get(MACHINE_CONFIGURATION, 'cluster')
    // An earlier attempt of ours got through and its answer was lost.
    if (row.attempts > 1 && stanzaShows(now.spec?.bootImageSkewEnforcement, requestOf(row)))
      return { ok: true, code: 200, answer: 'An earlier attempt had already been stored.' }
    const failure = failureOf(error)
    return { ok: false, ...failure, sentence: `${failure.sentence} ${changesSince(now, row.resourceVersion)}`.trim() }
  }
  if (!stanzaShows(stored.spec?.bootImageSkewEnforcement, requestOf(row)))
    return {
      ok: false,
      sentence:
        'The API server answered with success but did not store the change: this release does not know boot image skew.',
      answer: `spec.bootImageSkewEnforcement is ${JSON.stringify(stored.spec?.bootImageSkewEnforcement ?? null)}`,
      code: 200,
    }
  return { ok: true, code: 200, answer: `stored as resourceVersion ${stored.metadata.resourceVersion}` }
}

async function finish(row: SkewAction, claimedBy: string, ctx: Ctx, call: SkewCall, result: Result): Promise<void> {
  const calls = [
    ...callsOf(row).filter((made) => made.at),
    { ...call, ...(result.code !== null && { code: result.code }), ...(result.answer && { answer: result.answer }) },
  ] as unknown as Prisma.InputJsonValue
  await db().$transaction(async (tx) => {
    const { count } = await tx.skewAction.updateMany({
      where: { id: row.id, state: 'applying', claimedBy },
      data: {
        state: result.ok ? 'accepted' : 'failed',
        calls,
        error: result.ok ? null : result.sentence,
        acceptedAt: result.ok ? new Date() : null,
        claimedUntil: null,
      },
    })
    if (count === 0) return // The claim ran out and another took over: it says what happened.
    const cluster = await tx.managementCluster.findUnique({ where: { id: row.clusterId }, select: { name: true } })
    await announce(tx, { topic: 'boot-images', cluster: row.clusterId, ids: [row.id] })
    await recordAudit(tx, ctx, {
      action: result.ok ? 'skew.accepted' : 'skew.failed',
      target: { kind: 'MachineConfiguration', id: row.id, name: 'cluster' },
      cluster: cluster && { id: row.clusterId, name: cluster.name },
      result: result.ok ? 'ok' : result.code === null ? 'failed' : 'refused',
      answer: result.answer ?? (result.ok ? null : result.sentence),
      details: { attempt: row.attempts, ...(result.code !== null && { code: result.code }) },
    })
  })
}
