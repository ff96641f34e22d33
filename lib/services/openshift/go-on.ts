import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { Json } from '@/lib/domain/json'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import type { ActionStep } from './action-row'
import type { ActionKind } from './kind'
import { stepsOf } from './row-steps'
import { overwritten } from './what-stands'

/**
 * The steps of an action that failed, for its object as it is now: whoever goes on after a conflict decides on that. Throws a sentence
 * where there is no going on.
 */
export async function stepsNow(
  row: OpenShiftAction,
  kind: ActionKind,
  client: KubeClient,
  now: KubeObject,
): Promise<ActionStep[]> {
  const before = stepsOf(row)
  const hint = `It says now: ${kind.stands(now)}. Leave it as it stands, and decide anew.`
  if (before[row.step]?.cancels) throw new ServiceError('invalid', 'It is being taken back: look at going back anew.')
  const outlived = await kind.still?.(row, client)
  if (outlived) throw new ServiceError('invalid', outlived, { hint })
  const gone = overwritten(before, now)
  if (gone.length > 0)
    throw new ServiceError(
      'invalid',
      `Somebody else wrote ${gone.join(' and ')} since: what it would go on from is not there any more.`,
      { hint },
    )
  if (!kind.anew && before.slice(row.step).some(({ body }) => holdsList(body)))
    throw new ServiceError(
      'invalid',
      'It would write a whole list, and with that over what others put into it since.',
      { hint },
    )
  const steps = (await kind.anew?.(row, now)) ?? before
  return steps.map((step, i): ActionStep => {
    const was = before[i]
    if (was?.state === 'stored') return was
    return { ...step, state: 'open', at: null }
  })
}

/** A patch replaces a list whole. */
const holdsList = (value: Json): boolean =>
  Array.isArray(value) || (value !== null && typeof value === 'object' && Object.values(value).some(holdsList))
