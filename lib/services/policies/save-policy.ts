import type { z } from 'zod'
import { db, type Tx } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import type { PolicySpec } from '@/lib/domain/policies'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { withDrafts } from './at-once'
import { oneWriter, requireGoesAsShown } from './goes-as-shown'
import { draftOf } from './preview-policy'
import { SavePolicyInput } from './schemas'

export interface SavedPolicy {
  id: string
  name: string
  version: number
}

/** Writes a new policy, or a new version of one: only over the version that was looked at. */
export async function savePolicy(ctx: Ctx, input: unknown): Promise<SavedPolicy> {
  requirePermission(ctx, 'policies:write')
  const wish = parseInput(SavePolicyInput, input)
  const word = await requireGoesAsShown(wish.goes, () => ({
    ids: wish.policyId ? [wish.policyId] : [],
    after: (before) => withDrafts(before, [draftOf(wish)]),
  }))
  return namedOnce(wish.name, () =>
    db().$transaction(async (tx) => {
      await oneWriter(tx, word)
      return write(tx, ctx, wish)
    }),
  )
}

/** Whose name is taken is told so, and nothing is written. */
export async function namedOnce<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')) throw error
    const message = `There is already a policy named ${name}.`
    throw new ServiceError('conflict', message, { fields: [{ field: 'name', message }] })
  }
}

/** One policy with its version and its audit event, in the caller's transaction. */
export async function write(tx: Tx, ctx: Ctx, wish: z.infer<typeof SavePolicyInput>): Promise<SavedPolicy> {
  const { policyId, name } = wish
  const spec = stored(wish.spec)
  const before = policyId ? await tx.rolloutPolicy.findUnique({ where: { id: policyId } }) : null
  if (policyId && !before) throw gone('Save it as a new one.')
  const data = { name, spec, updatedAt: new Date() }
  const saved = before
    ? await overwritten(tx, before.id, wish.version, data)
    : await tx.rolloutPolicy.create({ data, select: { id: true, name: true, version: true } })
  await tx.rolloutPolicyVersion.create({
    data: { policyId: saved.id, version: saved.version, name, spec, actorName: ctx.actor.name },
  })
  await announce(tx, { topic: 'policies' })
  await recordAudit(tx, ctx, {
    action: before ? 'rollout-policy.changed' : 'rollout-policy.added',
    target: { kind: 'RolloutPolicy', id: saved.id, name },
    details: { version: saved.version, spec, ...(before ? { before: before.spec } : {}) },
  })
  return saved
}

async function overwritten(
  tx: Tx,
  id: string,
  version: number | undefined,
  data: Prisma.RolloutPolicyUpdateInput,
): Promise<SavedPolicy> {
  const { count } = await tx.rolloutPolicy.updateMany({
    where: { id, ...(version === undefined ? {} : { version }) },
    data: { ...(data as Prisma.RolloutPolicyUpdateManyMutationInput), version: { increment: 1 } },
  })
  if (count === 0 || version === undefined) throw changed()
  return tx.rolloutPolicy.findUniqueOrThrow({ where: { id }, select: { id: true, name: true, version: true } })
}

export const changed = (): ServiceError =>
  new ServiceError('conflict', 'Somebody changed this policy while you were looking at it.', {
    hint: 'Reload to see what it says now; what you typed stays here until you do.',
  })
export const gone = (hint: string): ServiceError =>
  new ServiceError('not-found', 'This policy is not there any more: somebody removed it.', { hint })

/** Without what is not said. */
export const stored = (spec: PolicySpec): Prisma.InputJsonObject =>
  JSON.parse(JSON.stringify(spec)) as Prisma.InputJsonObject
