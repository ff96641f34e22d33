import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma } from '@/lib/db/generated/client'
import { skewPatch, type SkewRequest } from '@/lib/domain/skew/patch'
import type { Managers } from '@/lib/domain/skew/types'
import { MACHINE_CONFIGURATION, readSkewState } from '@/lib/providers/openshift/readers'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { kubeClientFor } from '../clusters/connection'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { PATH, skewActionDto, type SkewActionDto, type SkewCall } from './action-row'
import { failureOf } from './answer'
import { applySkewAction } from './apply'

export interface Wish {
  clusterId: string
  resourceVersion: string
  reason?: string
  reviewAt?: Date
  manageAll?: boolean
  /** The version is above the cluster's own release, and somebody said that it is meant. */
  newerConfirmed?: boolean
}

const AUDIT = { acknowledge: 'skew.acknowledged', 'opt-out': 'skew.opted-out', automatic: 'skew.returned' } as const

/** Writes the decision and its audit event in one transaction, then applies it right away. */
export async function recordAndApply(ctx: Ctx, request: SkewRequest, wish: Wish): Promise<SkewActionDto> {
  const cluster = await skewCluster(wish.clusterId)
  const full: SkewRequest = wish.manageAll
    ? { ...request, manageAll: { current: await managersNow(wish.clusterId) } }
    : request
  const call: SkewCall = {
    method: 'PATCH',
    path: PATH,
    contentType: 'application/merge-patch+json',
    body: skewPatch(full, wish.resourceVersion),
  }
  const id = randomUUID()
  await db().$transaction(async (tx) => {
    await requireConnected(tx, wish.clusterId)
    await tx.skewAction.create({
      data: {
        id,
        clusterId: wish.clusterId,
        action: request.action,
        versionKind: request.versionKind ?? null,
        version: request.version ?? null,
        reason: wish.reason || null,
        reviewAt: wish.reviewAt ?? null,
        actorId: ctx.actor.id,
        actorName: ctx.actor.name,
        resourceVersion: wish.resourceVersion,
        calls: [call] as unknown as Prisma.InputJsonValue,
      },
    })
    await announce(tx, { topic: 'boot-images', cluster: wish.clusterId, ids: [id] })
    await recordAudit(tx, ctx, {
      action: AUDIT[request.action],
      target: { kind: 'MachineConfiguration', id, name: 'cluster' },
      cluster: { id: wish.clusterId, name: cluster.cluster.name },
      reason: wish.reason || null,
      details: {
        ...(request.version && { version: request.version, versionKind: request.versionKind }),
        ...(wish.reviewAt && { reviewAt: wish.reviewAt.toISOString() }),
        ...(wish.manageAll && { manageAll: true }),
        ...(wish.newerConfirmed && { newerConfirmed: true }),
      },
    })
  })
  await applySkewAction(id, `verb:${id}`, ctx)
  return skewActionDto(await db().skewAction.findUniqueOrThrow({ where: { id } }))
}

/** The cluster's card, or a sentence that says why nothing can be done on it. */
export async function skewCluster(clusterId: string) {
  const row = await db().openShiftCluster.findUnique({
    where: { clusterId },
    include: { cluster: { select: { name: true } } },
  })
  if (!row)
    throw new ServiceError('not-found', 'There is no OpenShift cluster of that id, or it has not been read yet.')
  if (!row.skewSupported)
    throw new ServiceError(
      'invalid',
      `OpenShift ${row.version ?? ''} on ${row.cluster.name} does not know boot image skew.`,
      {
        hint: 'It comes with OpenShift 4.22; an older API server would take the change and store nothing.',
      },
    )
  return row
}

/** A merge patch replaces the list whole: it is made of the live one, and the resourceVersion sees to it that it is still that. */
async function managersNow(clusterId: string): Promise<Managers> {
  const client = await kubeClientFor(clusterId)
  try {
    return readSkewState(await client.get(MACHINE_CONFIGURATION, 'cluster'), true).managers
  } catch (error) {
    const { code, sentence, answer } = failureOf(error)
    throw new ServiceError(code === null ? 'unavailable' : 'refused', sentence, { ...(answer && { answer }) })
  }
}
