import { RULE_WORDS, ruleWords, saidRules, spansWords, wavesWords, whyWords, type Rules } from '@/lib/domain/policies'
import type { PlanGroup } from '@/lib/services/plan/types'

/** What policies would ask of a planned change, a line each. Empty: none says anything of the group. */
export function policyLines(policy: PlanGroup['policy']): string[] {
  if (!policy) return []
  if ('problem' in policy) return [`Nothing could be approved: ${policy.problem}`]
  const { rules, notes } = policy
  const line = (rule: keyof Rules) =>
    `${RULE_WORDS[rule].name}: ${ruleWords(rule, rules[rule].value as never)} (${whyWords(rules[rule])})`
  const [windows, freezes] = [spansWords(rules.windows, 'and'), spansWords(rules.freezes, 'and')]
  return [
    ...saidRules(rules).map(line),
    ...(windows ? [`Machines move only in these windows: ${windows}.`] : []),
    ...(freezes ? [`Machines do not move in these freezes: ${freezes}.`] : []),
    ...(rules.waves ? [`Groups go in these waves: ${wavesWords(rules.waves.value)}.`] : []),
    ...notes,
  ]
}
