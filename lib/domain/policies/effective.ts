import { meansNothing, type Rolled } from './means-nothing'
import { BUILT_IN } from './resolve'
import type { Resolved, Rules } from './types'

/** A rule of a policy that means nothing for a group. */
export interface Idle {
  rule: keyof Rules
  value: Rules[keyof Rules]
  policy: string
  why: string
  /** The policy that holds instead, though it is wider; absent: as the group says. */
  instead?: string
}

/**
 * The rules as they are for a group: what means nothing there is as where no policy says it, and is named. Rules that were kept say
 * nothing of what came later.
 */
export function effective(rules: Resolved, group: Rolled): { rules: Resolved; idle: Idle[] } {
  const kept = (Object.keys(BUILT_IN) as (keyof Rules)[]).filter((rule) => rule in rules)
  const idle = kept.flatMap((rule): Idle[] => {
    const { value, policy } = rules[rule]
    const why = policy && meansNothing(rule, value as never, group)
    return why ? [{ rule, value, policy: policy.name, why }] : []
  })
  const own = idle.map(({ rule, why }) => [rule, { value: BUILT_IN[rule], policy: null, why }])
  const passed = kept.flatMap((rule): Idle[] => {
    const { policy, passed = [] } = rules[rule]
    return passed.map((one) => ({ rule, ...one, ...(policy ? { instead: policy.name } : {}) }))
  })
  return {
    rules: idle.length > 0 ? { ...rules, ...(Object.fromEntries(own) as Partial<Resolved>) } : rules,
    idle: [...idle, ...passed],
  }
}
