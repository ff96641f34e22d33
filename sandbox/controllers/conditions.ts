import { timestamp } from './clock'
import type { Condition } from './kinds'

export interface Wanted {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message?: string
}

export const condition = (type: string, status: boolean | 'Unknown', reason: string, message = ''): Wanted => ({
  type,
  status: status === 'Unknown' ? 'Unknown' : status ? 'True' : 'False',
  reason,
  message,
})

/** New conditions over old ones: the time of transition stays where the status stays. */
export function setConditions(old: Condition[] | undefined, wanted: Wanted[], generation: number): Condition[] {
  const before = new Map((old ?? []).map((c) => [c.type, c]))
  return wanted.map(({ type, status, reason, message = '' }) => {
    const same = before.get(type)
    return {
      type,
      status,
      reason,
      message,
      lastTransitionTime: same?.status === status ? same.lastTransitionTime : timestamp(),
      observedGeneration: generation,
    }
  })
}

/** Only these change; the others stay as they are. */
export function patchConditions(old: Condition[] | undefined, wanted: Wanted[], generation: number): Condition[] {
  const changed = new Map(setConditions(old, wanted, generation).map((c) => [c.type, c]))
  const kept = (old ?? []).map((c) => {
    const replacement = changed.get(c.type)
    changed.delete(c.type)
    return replacement ?? c
  })
  return [...kept, ...changed.values()]
}

export const conditionOf = (object: { status?: { conditions?: Condition[] } } | undefined, type: string) =>
  object?.status?.conditions?.find((c) => c.type === type)

export const isTrue = (object: { status?: { conditions?: Condition[] } } | undefined, type: string) =>
  conditionOf(object, type)?.status === 'True'

/** A message below a heading, as the aggregated conditions indent it. */
export const indented = (message: string) =>
  message
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')

export const bullet = (text: string) => (text.startsWith('* ') ? text : `* ${text}`)
