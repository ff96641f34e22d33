import { db } from '@/lib/db/client'
import { notStored } from '@/lib/domain/openshift/stored'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { backFollows, type BackFollows } from './back-follows'
import { kindOf } from './kinds'
import { readTarget } from './read-target'
import { rehearse, type Rehearsal } from './rehearse'
import { ActionInput } from './schemas'
import { wayBack } from './way-back'
import { overwritten } from './what-stands'

/** What going back or on would do. */
export interface WayPreview extends Rehearsal, BackFollows {
  label: string
  /** What the object says now. */
  stands: string
  /** What it is bound to: hand both back with it. */
  resourceVersion: string
  generation: number | null
  uid: string
}

/** What taking back the stored steps of an action would send, made for the object as it is now, and the API server's answer to it. */
export async function previewCancel(ctx: Ctx, input: unknown): Promise<WayPreview> {
  requirePermission(ctx, 'skew:act')
  const { actionId } = parseInput(ActionInput, input)
  const row = await db().openShiftAction.findUnique({ where: { id: actionId } })
  if (!row) throw new ServiceError('not-found', 'There is no such action.')
  const kind = kindOf(row.kind)
  requirePermission(ctx, kind.permission)
  const none = new ServiceError('invalid', 'There is nothing to take back, or no way back.')
  if (!wayBack(row).back) throw none
  const target = kind.target(row.target)
  const client = await kubeClientFor(row.clusterId)
  const now = await readTarget(client, kind, target)
  const { back, steps, part } = wayBack(row, now)
  const isThere = steps.some((step) => step.state === 'stored')
  if (!back && isThere) throw none
  if (!back || notStored(back.body, now).length === 0)
    throw new ServiceError(
      'invalid',
      `Nothing of it is there${isThere ? ' any more' : ''}, so there is nothing to take back.`,
      {
        hint: `It says now: ${kind.stands(now)}. Leave it as it stands.`,
      },
    )
  // Somebody else wrote it since: the way back would take theirs away.
  const other = overwritten(
    steps.filter((_, i) => i !== part),
    now,
  )
  if (other.length > 0)
    throw new ServiceError(
      'invalid',
      `Somebody else wrote ${other.join(' and ')} since: that is nothing of this decision any more.`,
      {
        hint: `It says now: ${kind.stands(now)}. Leave it as it stands, and decide anew.`,
      },
    )
  return {
    ...(await rehearse(client, kind, target, now, back.body)),
    ...{ label: back.label, stands: kind.stands(now), ...(await backFollows(row.clusterId, now, back.body)) },
    resourceVersion: now.metadata.resourceVersion,
    generation: now.metadata.generation ?? null,
    uid: now.metadata.uid,
  }
}
