import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { Prisma } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { requirePermission, type Ctx } from '../context'
import { actionDto, bound, patchOf, type ActionDto, type ActionStep } from './action-row'
import { applyOrLeave } from './apply-action'
import { permissionOf, type PlannedStep } from './kind'
import { requireNoneHalfway } from './halfway'
import { kindOf } from './kinds'
import { onlyOne } from './only-one'
import { supersedeFailed } from './supersede'

export interface NewAction {
  clusterId: string
  kind: string
  /** The object, as the kind's `target` reads it. */
  target: string
  action: string
  /** What was decided, as the kind reads it again. */
  wish?: JsonObject
  versionKind?: string
  version?: string
  steps: PlannedStep[]
  /**
   * The state that was looked at. With its uid and its generation, what the operator writes to the status in between is no
   * conflict; without them, or of an object that has none, every write of others is.
   */
  looked: { resourceVersion: string; generation?: number; uid?: string }
  reason?: string
  reviewAt?: Date
  batchId?: string
  /** The verb's own audit event. */
  audit: { action: string; details: Record<string, unknown> }
}

/**
 * Writes a decision and its audit event in one transaction. Throws `conflict` where another is under way on the same object,
 * or stands half way there, or the cluster is being disconnected.
 */
export async function recordAction(ctx: Ctx, wanted: NewAction): Promise<string> {
  const kind = kindOf(wanted.kind)
  requirePermission(ctx, permissionOf(kind, wanted.action))
  const id = randomUUID()
  const target = kind.target(wanted.target)
  const steps = wanted.steps.map((step): ActionStep => ({ ...step, state: 'open', at: null }))
  const call = patchOf(target, bound(wanted.steps[0]!.body, wanted.looked.resourceVersion))
  const { clusterId, action, versionKind = null, version = null, reviewAt = null, batchId = null } = wanted
  await onlyOne(clusterId, wanted.target, target.words, () =>
    db().$transaction(async (tx) => {
      await requireConnected(tx, clusterId)
      await requireNoneHalfway(tx, clusterId, wanted.target, target.words)
      await supersedeFailed(tx, clusterId, wanted.target)
      const { cluster } = await tx.openShiftAction.create({
        data: {
          ...{ id, clusterId, kind: kind.kind, target: wanted.target, action },
          ...{ versionKind, version, reviewAt, batchId, reason: wanted.reason || null },
          ...{ wish: wanted.wish ?? {}, steps: json(steps), calls: json([call]) },
          ...{ actorId: ctx.actor.id, actorName: ctx.actor.name },
          resourceVersion: wanted.looked.resourceVersion,
          generation: wanted.looked.generation ?? null,
          uid: wanted.looked.uid ?? null,
        },
        select: { cluster: { select: { name: true } } },
      })
      await announce(tx, { topic: kind.topic, cluster: clusterId, ids: [id] })
      await recordAudit(tx, ctx, {
        action: wanted.audit.action,
        target: { kind: kind.objectKind, id, name: target.name },
        cluster: { id: clusterId, name: cluster.name },
        reason: wanted.reason || null,
        details: { ...wanted.audit.details, ...(batchId && { batch: batchId }) },
      })
    }),
  )
  return id
}

const json = (value: unknown): Prisma.InputJsonValue => value as Prisma.InputJsonValue

/** Records a decision, then applies it right away, as far as it goes. What the cluster makes of it stands in the answer. */
export async function recordAndApply(ctx: Ctx, wanted: NewAction): Promise<ActionDto> {
  const id = await recordAction(ctx, wanted)
  await applyOrLeave(id, `verb:${id}`, ctx)
  return actionDto(await db().openShiftAction.findUniqueOrThrow({ where: { id } }))
}
