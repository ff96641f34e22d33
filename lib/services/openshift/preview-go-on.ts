import { db } from '@/lib/db/client'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { beforeWayBack } from './before-way-back'
import { shownOf, type Foretold } from './foretold'
import { stepsNow } from './go-on'
import { permissionOf } from './kind'
import { kindOf } from './kinds'
import type { WayPreview } from './preview-cancel'
import { readTarget } from './read-target'
import { rehearse } from './rehearse'
import { ActionInput } from './schemas'

export interface OnPreview extends WayPreview, Pick<Foretold, 'sets'> {
  /** Of what it comes to: to be handed back as well; absent: its writes say all. */
  shown?: string
}

/** After a conflict: what going on would send, for the object as it is now, and the API server's answer to it. */
export async function previewGoOn(ctx: Ctx, input: unknown): Promise<OnPreview> {
  requirePermission(ctx, 'skew:act')
  const { actionId } = parseInput(ActionInput, input)
  const failed = await db().openShiftAction.findUnique({ where: { id: actionId } })
  if (!failed) throw new ServiceError('not-found', 'There is no such action.')
  const back = beforeWayBack(failed)
  const row = back ?? failed
  const kind = kindOf(row.kind)
  requirePermission(ctx, permissionOf(kind, row.action))
  if (row.state !== 'failed') throw new ServiceError('conflict', 'It has not failed: there is nothing to go on with.')
  const target = kind.target(row.target)
  const client = await kubeClientFor(row.clusterId)
  const now = await readTarget(client, kind, target)
  const steps = await stepsNow(row, kind, client, now)
  const step = steps[row.step]!
  const bodies = steps.slice(row.step).map(({ body }) => body)
  const tried = await rehearse(client, kind, target, now, step.body, bodies)
  const waits = step.waitsFor !== undefined && kind.ready?.(now, row.step, row) === false
  const told = await kind.foretells?.(row, now)
  const then = steps
    .slice(row.step + 1)
    .map(({ label, waitsFor }) => `Then: ${label}${waitsFor ? `, when ${waitsFor}` : ''}.`)
  return {
    ...tried,
    // Until then the API server refuses it, which tells nothing.
    ...(waits && {
      dryRun: { ok: true, sentence: `It is sent when ${step.waitsFor}; nothing can be tried before.`, answer: null },
    }),
    ...{
      label: step.label,
      stands: kind.stands(now),
      follows: [...(back ? ['What is stored of it is not taken back.'] : []), ...(told?.follows ?? []), ...then],
    },
    ...{ warnings: told?.warnings ?? [], sets: told?.sets ?? [], ...(told && { shown: shownOf(told) }) },
    resourceVersion: now.metadata.resourceVersion,
    generation: now.metadata.generation ?? null,
    uid: now.metadata.uid,
  }
}
