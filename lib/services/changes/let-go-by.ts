import type { Decision } from '@/lib/db/generated/client'
import { peopleWords } from '@/lib/domain/people'
import { snapshotOf } from '../policies/snapshot'

const WAYS: Record<string, string> = { 'in-place': 'in place', replace: 'replacing' }

/** "approved replacing by Ada and Bo": who let a change go, and which way. */
export function letGoByWords(decision: Pick<Decision, 'mode' | 'actorName' | 'policy'>): string {
  const policy = snapshotOf(decision)
  const way = WAYS[decision.mode] ?? decision.mode
  if (policy?.byItself) {
    const { policy: by } = policy.rules.approvals
    return `let go ${way} by ${by ? `the policy ${by.name}` : 'its policy'}, which asks nobody`
  }
  const names = policy?.approvals.map(({ actorName }) => actorName) ?? []
  return `approved ${way} by ${peopleWords(names.length > 1 ? names : [decision.actorName])}`
}
