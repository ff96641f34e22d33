import { RULES, type Policy, type Rules } from '@/lib/domain/policies'
import { areAsClose, type Touched } from './previewed-groups'

type RuleName = keyof Rules

/** A rule of a policy that does not count for some of its groups: another policy says otherwise. */
export interface Overruled {
  rule: RuleName
  value: Rules[RuleName]
  /** The one that counts, and what it says. */
  policy: string
  theirs: Rules[RuleName]
  groups: number
  /** It describes them as closely, and is stricter; else more closely. */
  asClose: boolean
}

/** Which rules of the policy that is being written lose, by who wins. Of waves, that is told by itself. */
export function overruledIn(matching: readonly Touched[], { id, name, spec }: Policy): Overruled[] {
  const found = new Map<string, Overruled>()
  const said = RULES.filter((rule) => spec[rule] !== undefined)
  for (const group of matching)
    for (const rule of said) {
      const { policy, value: theirs, passed = [] } = group.shown.then[rule]
      const value = spec[rule]!
      // It means nothing there, which is told by itself.
      if (passed.some((one) => one.policy === name)) continue
      if (!policy || policy.id === id || JSON.stringify(theirs) === JSON.stringify(value)) continue
      const asClose = areAsClose(group, id, policy.id)
      const key = `${rule} ${policy.id} ${JSON.stringify(theirs)} ${asClose}`
      const one = found.get(key) ?? {
        rule,
        value,
        policy: policy.name,
        theirs,
        groups: 0,
        asClose,
      }
      found.set(key, { ...one, groups: one.groups + 1 })
    }
  return [...found.values()]
}
