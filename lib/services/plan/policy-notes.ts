import { db } from '@/lib/db/client'
import {
  effective,
  RULE_WORDS,
  ruleWords,
  saidRules,
  spansWords,
  wavesWords,
  wayByItself,
  whyNotThisWay,
  whyWords,
  type Resolved,
  type Rules,
} from '@/lib/domain/policies'
import type { Outlook } from '@/lib/domain/changes'
import { ServiceError } from '../errors'
import { closedWords, timingOf, UNTIMED } from '../policies/timing'
import { rulesFor, type Governed } from '../policies/rules-for'

/** What policies would ask of it, each in one sentence. Empty: none says anything of the group. */
export async function policyNotes(group: Governed, outlook: Outlook): Promise<string[]> {
  let rules: Resolved
  try {
    // What means nothing for such a group must not look as if it held.
    rules = effective(await rulesFor(db(), group), { kind: group.groupKind, strategy: 'RollingUpdate' }).rules
  } catch (error) {
    if (error instanceof ServiceError) return [`Nothing could be approved: ${error.message}`]
    throw error
  }
  const said = saidRules(rules)
  const times = timesNotes(rules)
  if (said.length === 0) return times
  const asked = said.map((rule) => `${spoken(rule, rules)} (${whyWords(rules[rule])})`)
  const forbidden = whyNotThisWay('replace', rules, outlook)
  const byItself = wayByItself(rules, outlook, group.groupKind)
  return [
    `What policies ask of it: ${asked.join('; ')}.`,
    ...(outlook.inPlace === null && forbidden ? [`It would stay held. ${forbidden}`] : []),
    ...(byItself
      ? [`It would go ${byItself === 'in-place' ? 'in place' : 'replacing'} without anybody’s approval.`]
      : []),
    ...times,
  ]
}

/** By itself a number or a time says nothing. */
function spoken(rule: keyof Rules, rules: Resolved): string {
  const words = ruleWords(rule, rules[rule].value as never)
  return rule === 'approvals' || rule === 'strategy' ? words : `${RULE_WORDS[rule].name}: ${words}`
}

/** When it could move, and that it would wait until then. */
function timesNotes(rules: Resolved): string[] {
  // In which wave it would be is found when it is there.
  const timing = timingOf({ ...rules, waves: null }, UNTIMED)
  const [windows, freezes] = [spansWords(rules.windows, 'and'), spansWords(rules.freezes, 'and')]
  return [
    ...(windows ? [`Machines move only in these windows: ${windows}.`] : []),
    ...(freezes ? [`Machines do not move in these freezes: ${freezes}.`] : []),
    ...(rules.waves ? [`Groups go in these waves: ${wavesWords(rules.waves.value)}.`] : []),
    ...(timing.open ? [] : [`Now it is ${closedWords(timing)}.`]),
  ]
}
