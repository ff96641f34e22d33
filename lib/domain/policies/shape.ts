import { timeWords } from '../drain-time-out'
import { meansNothing, type Rolled } from './means-nothing'
import { durationOf } from './expiry'
import { SHAPE_RULES, type Resolved, type Rules } from './types'

/** How a group rolls and lets machines go, as far as policies say; absent: as the group itself says. */
export interface Shape {
  maxSurge?: string
  maxUnavailable?: string
  deletionOrder?: string
  /** Seconds; 0: without limit. */
  drainSeconds?: number
  detachSeconds?: number
}

/** The same of a group as it is; null: it says nothing, or it has no such field. */
export type GroupShape = { [Field in keyof Shape]-?: Shape[Field] | null }

type ShapeRules = Pick<Rules, (typeof SHAPE_RULES)[number]>
type Told = Pick<Resolved, keyof ShapeRules>

const seconds = (time: string): number => (durationOf(time) ?? 0) / 1000

/** What policies want of a group of this kind and strategy: only what it has. */
export function shapeWanted(rules: Told, group: Rolled): Shape {
  const said = <Value>(rule: keyof ShapeRules, { value }: { value: Value }): Value | null =>
    meansNothing(rule, value as never, group) === null ? value : null
  const maxSurge = said('maxSurge', rules.maxSurge)
  const maxUnavailable = said('maxUnavailable', rules.maxUnavailable)
  const deletionOrder = said('deletionOrder', rules.deletionOrder)
  const drain = said('drainTimeout', rules.drainTimeout)
  const detach = said('detachTimeout', rules.detachTimeout)
  return {
    ...(maxSurge === null ? {} : { maxSurge: String(maxSurge) }),
    ...(maxUnavailable === null ? {} : { maxUnavailable: String(maxUnavailable) }),
    ...(deletionOrder === null ? {} : { deletionOrder }),
    ...(drain === null ? {} : { drainSeconds: seconds(drain) }),
    ...(detach === null ? {} : { detachSeconds: seconds(detach) }),
  }
}

/** Neither one more nor one fewer: no machine could ever move, and the API server refuses it. */
export const isNone = (n: number | string | null | undefined): boolean => ['0', '0%'].includes(String(n))

/** Whether a worker group would come to have neither, with what policies want of it. */
export function couldNotRoll(
  rules: Told,
  group: Rolled & { maxSurge: string | null; maxUnavailable: string | null },
): boolean {
  if (group.kind !== 'MachineDeployment' || group.strategy !== 'RollingUpdate') return false
  const wanted = shapeWanted(rules, group)
  const [surge, fewer] = [wanted.maxSurge ?? group.maxSurge, wanted.maxUnavailable ?? group.maxUnavailable]
  return isNone(surge ?? ABSENT.maxSurge) && isNone(fewer ?? ABSENT.maxUnavailable)
}

/** What a field that is not there means (defaults of the API, zero for time-outs). */
const ABSENT: { [Field in keyof Shape]-?: NonNullable<Shape[Field]> } = {
  ...{ maxSurge: '1', maxUnavailable: '0', deletionOrder: 'Random', drainSeconds: 0, detachSeconds: 0 },
}

/** What of it the group is not like yet; null: it is as is wanted. */
export function shapeMissing(wanted: Shape, is: GroupShape): Shape | null {
  const entries = Object.entries(wanted).filter(([field, value]) => {
    const now = is[field as keyof Shape] ?? ABSENT[field as keyof Shape]
    return String(now) !== String(value)
  })
  return entries.length > 0 ? (Object.fromEntries(entries) as Shape) : null
}

const NAMES: { [Field in keyof Shape]-?: string } = {
  maxSurge: 'maxSurge',
  maxUnavailable: 'maxUnavailable',
  deletionOrder: 'deletion order',
  drainSeconds: 'drain time-out',
  detachSeconds: 'volume detach time-out',
}

/** "maxSurge 0, drain time-out 10m" */
export const shapeWords = (shape: Shape): string =>
  (Object.keys(NAMES) as (keyof Shape)[])
    .flatMap((field) => {
      const value = shape[field]
      return value === undefined ? [] : [`${NAMES[field]} ${typeof value === 'number' ? timeWords(value) : value}`]
    })
    .join(', ')

/** Names of the policies that say so. */
export const shapePolicies = (rules: Told): string =>
  [...new Set(SHAPE_RULES.flatMap((rule) => rules[rule].policy?.name ?? []))].join(', ')
