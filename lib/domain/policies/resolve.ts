import { closerWords, matcher, moreSpecific, wordsOf, type Part } from './select'
import { durationOf } from './expiry'
import { limitOf } from './failures'
import { meansNothing } from './means-nothing'
import {
  DELETION_ORDERS,
  STRATEGIES,
  type Policy,
  type PolicyGroup,
  type Resolved,
  type Rules,
  type Span,
  type Told,
} from './types'

/** What holds where no policy says anything: one approval, in place where that is possible. */
export const BUILT_IN: Rules = {
  strategy: 'prefer-in-place',
  approvals: 1,
  notTheAuthor: false,
  reasonRequired: false,
  expiresAfter: 'never',
  stopsAt: 'never',
  readyWithin: '20m',
  ...{ remindAfter: '24h', escalateAfter: '3d', holdLimit: '7d' },
  // It writes to machine sets, by itself.
  scaleWhileHeld: false,
  ...{ maxSurge: null, maxUnavailable: null, deletionOrder: null, drainTimeout: null, detachTimeout: null },
  updaterOrder: [],
}

/** Of two policies that describe a group equally closely the stricter holds. Positive: the first is stricter. */
const STRICTER: { [Rule in keyof Rules]: (a: Rules[Rule], b: Rules[Rule]) => number } = {
  // As they stand: in place only takes machines from nobody, replacing from everybody.
  strategy: (a, b) => STRATEGIES.indexOf(b) - STRATEGIES.indexOf(a),
  approvals: (a, b) => a - b,
  notTheAuthor: (a, b) => Number(a) - Number(b),
  reasonRequired: (a, b) => Number(a) - Number(b),
  expiresAfter: shorter,
  // A number and a share are held against each other for a group of 100.
  stopsAt: (a, b) => difference(limitOf(b, 100), limitOf(a, 100)),
  readyWithin: shorter,
  ...{ remindAfter: shorter, escalateAfter: shorter, holdLimit: shorter },
  scaleWhileHeld: (a, b) => Number(b) - Number(a),
  // Fewer machines more and fewer missing; a node has longer to be drained. A share is held against a number for a group of 100.
  ...{ maxSurge: fewer, maxUnavailable: fewer, drainTimeout: longer, detachTimeout: longer },
  deletionOrder: (a, b) => DELETION_ORDERS.indexOf(a ?? 'Random') - DELETION_ORDERS.indexOf(b ?? 'Random'),
  updaterOrder: (a, b) => a.length - b.length,
}

function fewer(a: number | string | null, b: number | string | null): number {
  const of = (n: number | string | null) => Number.parseInt(String(n ?? Infinity), 10)
  return difference(Number.isNaN(of(b)) ? null : of(b), Number.isNaN(of(a)) ? null : of(a))
}

function longer(a: string | null, b: string | null): number {
  return a === null || b === null ? 0 : shorter(b, a)
}

function shorter(a: string, b: string): number {
  return difference(durationOf(b), durationOf(a))
}

/** Null: without end. */
function difference(a: number | null, b: number | null): number {
  return (a ?? Infinity) - (b ?? Infinity) || 0
}

/** A policy that is for a group, and by what. */
export interface Fitting {
  policy: Policy
  parts: Part[]
}

/** Which of these policies are for a group, and how closely; for many groups. */
export function fitter(policies: readonly Policy[]): (group: PolicyGroup) => Fitting[] {
  const matchers = policies.map((policy) => ({ policy, of: matcher(policy.spec.select) }))
  return (group) =>
    matchers.flatMap(({ policy, of }): Fitting[] => {
      const parts = of(group)
      return parts ? [{ policy, parts }] : []
    })
}

/** The rules that hold for a group, each from the most specific policy that says it. */
export const resolve = (policies: readonly Policy[], group: PolicyGroup): Resolved =>
  resolveFitting(fitter(policies)(group), group.kind)

const closestFirst = (those: readonly Fitting[]): Fitting[] =>
  those.toSorted((a, b) => moreSpecific(b.parts, a.parts) || (a.policy.name < b.policy.name ? -1 : 1))

const from = ({ id, name, version }: Policy) => ({ id, name, version })

/** The same, of the policies that are for a group of this kind. */
export function resolveFitting(those: readonly Fitting[], kind: string): Resolved {
  const fitting = closestFirst(those)

  function told<Rule extends keyof Rules>(rule: Rule): Told<Rules[Rule]> {
    const all = fitting.flatMap(({ policy, parts }) => {
      const value = policy.spec[rule] as Rules[Rule] | undefined
      return value === undefined ? [] : [{ policy, parts, value }]
    })
    const idle = (value: Rules[Rule]) => meansNothing(rule, value, { kind, strategy: 'RollingUpdate' })
    // What means nothing here takes nothing back.
    const meant = all.filter(({ value }) => idle(value) === null)
    const saying = meant.length > 0 ? meant : all
    const [first] = saying
    if (!first) return { value: BUILT_IN[rule], policy: null, why: 'no policy says otherwise' }
    const equal = saying.filter(({ parts }) => moreSpecific(first.parts, parts) === 0)
    const strictest = equal.reduce((a, b) => (STRICTER[rule](b.value, a.value) > 0 ? b : a))
    const others = equal.filter(({ value }) => STRICTER[rule](strictest.value, value) > 0)
    const besides = others.length > 0 ? `, and is stricter than ${others.map((o) => o.policy.name).join(', ')}` : ''
    const passed = all.flatMap(({ policy, parts, value }) => {
      const why = saying === meant && moreSpecific(first.parts, parts) <= 0 ? idle(value) : null
      return why === null ? [] : [{ policy: policy.name, value, why }]
    })
    const nothing = passed.map(
      (one) => `, and what ${one.policy} says (${String(one.value)}) means nothing: ${one.why}`,
    )
    const why = `${whyOf(strictest, saying)}${besides}${nothing.join('')}`
    const { value, policy } = strictest
    return { value, policy: from(policy), why, ...(passed.length > 0 ? { passed } : {}) }
  }
  return {
    strategy: told('strategy'),
    approvals: told('approvals'),
    notTheAuthor: told('notTheAuthor'),
    reasonRequired: told('reasonRequired'),
    expiresAfter: told('expiresAfter'),
    stopsAt: told('stopsAt'),
    readyWithin: told('readyWithin'),
    remindAfter: told('remindAfter'),
    escalateAfter: told('escalateAfter'),
    holdLimit: told('holdLimit'),
    scaleWhileHeld: told('scaleWhileHeld'),
    maxSurge: told('maxSurge'),
    maxUnavailable: told('maxUnavailable'),
    deletionOrder: told('deletionOrder'),
    drainTimeout: told('drainTimeout'),
    detachTimeout: told('detachTimeout'),
    updaterOrder: told('updaterOrder'),
    ...timesOf(fitting),
  }
}

/** Of the rules those that say when. */
export type Times = Pick<Resolved, 'windows' | 'freezes' | 'waves' | 'noWaves' | 'always'>

/** They alone, of the policies that are for a group. */
export const timesFitting = (those: readonly Fitting[]): Times => timesOf(closestFirst(those))

function timesOf(fitting: readonly Fitting[]): Times {
  const windowed = fitting.filter(({ policy }) => policy.spec.windows !== undefined)
  const closest = windowed.filter(({ parts }) => moreSpecific(windowed[0]!.parts, parts) === 0)
  const windows = closest.flatMap(({ policy, parts }): Told<readonly Span[]>[] => {
    const value = policy.spec.windows
    return value && value !== 'always' ? [{ value, policy: from(policy), why: whyOf({ policy, parts }, windowed) }] : []
  })
  const always = windows.length > 0 ? null : closest[0]
  const freezes = fitting.flatMap(({ policy, parts }): Told<readonly Span[]>[] => {
    const value = policy.spec.freezes
    return value ? [{ value, policy: from(policy), why: wordsOf(parts) }] : []
  })
  return {
    ...{ windows, freezes, ...wavesOf(fitting) },
    ...(always ? { always: { value: 'always', policy: from(always.policy), why: whyOf(always, windowed) } } : {}),
  }
}

/** By what a policy is for a group, and by what it wins; `saying`: those that say something about it, the closest first. */
function whyOf({ parts }: Fitting, saying: readonly Fitting[]): string {
  const next = saying.find((other) => moreSpecific(parts, other.parts) > 0)
  return `${wordsOf(parts)}${next ? closerWords(parts, next.parts, next.policy.name) : ''}`
}

/** Of several that are equally specific the one with the most waves holds. */
function wavesOf(fitting: readonly Fitting[]): Pick<Resolved, 'waves' | 'noWaves'> {
  const saying = fitting.flatMap(({ policy, parts }) => {
    const { waves } = policy.spec
    return waves === undefined ? [] : [{ policy, parts, waves: waves === 'none' ? [] : waves }]
  })
  const [first] = saying
  if (!first) return { waves: null }
  const equal = saying.filter(({ parts }) => moreSpecific(first.parts, parts) === 0)
  const { policy, parts, waves } = equal.reduce((a, b) => (b.waves.length > a.waves.length ? b : a))
  const { id, name, version } = policy
  const told = { policy: { id, name, version }, why: whyOf({ policy, parts }, saying) }
  return waves.length > 0 ? { waves: { value: waves, ...told } } : { waves: null, noWaves: { value: 'none', ...told } }
}
