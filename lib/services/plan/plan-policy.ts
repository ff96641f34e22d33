import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { effective, wayByItself, whyNotThisWay, type Resolved } from '@/lib/domain/policies'
import type { Outlook } from '@/lib/domain/changes'
import { ServiceError } from '../errors'
import { closedWords, timingOf, UNTIMED } from '../policies/timing'
import { rulesFor, type Governed } from '../policies/rules-for'

/** What policies would ask of a planned change. */
export interface PlanPolicy {
  rules: Resolved
  /** Ways that its policy does not let it go. */
  forbidden: ('in-place' | 'replace')[]
  /** What comes of the rules for this very plan, each in one sentence. */
  notes: string[]
}

/** Where the rules cannot be known nothing can be approved: why. */
export interface PlanPolicyProblem {
  problem: string
}

export async function planPolicy(group: Governed, outlook: Outlook): Promise<PlanPolicy | PlanPolicyProblem> {
  try {
    // What means nothing for such a group must not look as if it held.
    const of = { kind: group.groupKind, strategy: 'RollingUpdate' }
    const { rules } = effective(await rulesFor(db(), group), of)
    const why = {
      'in-place': whyNotThisWay('in-place', rules, outlook),
      replace: whyNotThisWay('replace', rules, outlook),
    }
    const forbidden = (['in-place', 'replace'] as const).filter((way) => why[way] !== null)
    return { rules, forbidden, notes: notesOf(rules, outlook, group.groupKind, why, await databaseNow(db())) }
  } catch (error) {
    if (error instanceof ServiceError) return { problem: error.message }
    throw error
  }
}

function notesOf(
  rules: Resolved,
  outlook: Outlook,
  kind: string,
  why: Record<'in-place' | 'replace', string | null>,
  now: Date,
): string[] {
  const byItself = wayByItself(rules, outlook, kind)
  const never = outlook.inPlace === null ? why.replace : why.replace && why['in-place']
  // In which wave it would be is found when it is there.
  const timing = timingOf({ ...rules, waves: null }, UNTIMED, now)
  return [
    ...(never ? [`It would stay held. ${never}`] : []),
    ...(byItself
      ? [`It would go ${byItself === 'in-place' ? 'in place' : 'replacing'} without anybody’s approval.`]
      : []),
    ...(timing.open ? [] : [`Now it is ${closedWords(timing)}.`]),
  ]
}
