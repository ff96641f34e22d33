import { db } from '@/lib/db/client'
import type { Resolved } from '@/lib/domain/policies'
import { requirePermission, type Ctx } from '../context'
import { tooFewPeople, type TooFewPeople } from './people-enough'
import { groupsTouched } from './previewed-groups'
import { readPolicies } from './read-policies'
import { whatIsThere } from './there'

export interface ShortOfPeople extends TooFewPeople {
  policy: string
}

/** Policies that ask for more approvals of some group than there are people who may give them, by the accounts of now. */
export async function shortOfPeople(ctx: Ctx): Promise<ShortOfPeople[]> {
  requirePermission(ctx, 'policies:write')
  const asking = new Map<string, Resolved[]>()
  for (const { shown } of await groupsTouched(db(), [], await readPolicies(db()))) {
    const { changes, then } = shown
    const name = changes.length > 0 && (then.approvals.policy ?? then.notTheAuthor.policy)?.name
    if (!name) continue
    const rules = asking.get(name) ?? []
    asking.set(name, rules)
    rules.push(then)
  }
  const there = whatIsThere(db())
  const found: ShortOfPeople[] = []
  for (const [policy, rules] of asking) {
    const few = await tooFewPeople(there, rules)
    if (few) found.push({ policy, ...few })
  }
  return found
}
