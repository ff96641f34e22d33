import type { Tx } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'
import type { UnderWayOn } from './under-way'
import { beforeWayBack } from './before-way-back'
import { mayBeStored, stepsOf } from './row-steps'
import { wayBack } from './way-back'
import { isGone, whatStands } from './what-stands'

type Row = Pick<OpenShiftAction, 'state' | 'steps' | 'calls' | 'step' | 'attempts' | 'generation'>

/** It failed where a part of it is stored, or may be, of a decision in several writes: nothing goes on or back there without a person. */
export const isHalfway = (row: Row): boolean =>
  row.state === 'failed' && stepsOf(row).length > 1 && (row.step > 0 || mayBeStored(row))

/** What there is to do about it, by the names of the buttons where it stands: "Go on, or leave it as it stands". */
export function waysOf(row: Row & Pick<OpenShiftAction, 'error' | 'uid'>): string {
  const at = stepsOf(row)[row.step]
  const on = at?.cancels && at.conflict && !beforeWayBack(row) ? [] : ['go on']
  const back = wayBack(row).back ? ['go back'] : []
  const ways = [...(isGone(row) ? [] : [...on, ...back]), 'leave it as it stands'].join(', ')
  return ways[0]!.toUpperCase() + ways.slice(1).replace(/, ([^,]*)$/, ', or $1')
}

/** What is to be decided of it before anything else on its object; `words` name that. */
export function halfwayWords(row: OpenShiftAction, words: string): UnderWayOn {
  return {
    ...{ id: row.id, halfway: true },
    message: `A decision on ${words}, by ${row.actorName}, stands half way. ${whatStands(row)}.`,
    hint: `${waysOf(row)} first.`,
  }
}

/** Throws where one stands half way on the object: another one would close it without a word. */
export async function requireNoneHalfway(tx: Tx, clusterId: string, target: string, words: string): Promise<void> {
  const failed = await tx.openShiftAction.findMany({ where: { clusterId, target, state: 'failed' } })
  const row = failed.find(isHalfway)
  if (!row) return
  const { message, hint } = halfwayWords(row, words)
  throw new ServiceError('conflict', message, { hint: `${hint} That is on the page of its cluster.` })
}
