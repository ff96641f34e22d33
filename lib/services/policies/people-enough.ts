import type { Resolved } from '@/lib/domain/policies'
import type { There } from './there'

/** A policy asks for more approvals than there are people who may give them. */
export interface TooFewPeople {
  asked: number
  /** One of those is asked besides where nobody knows who wrote the change, as with most tools. */
  besides: boolean
  people: number
}

/** Null: there are enough, by the accounts of now. */
export async function tooFewPeople(there: There, rules: readonly Resolved[]): Promise<TooFewPeople | null> {
  let most = { asked: 0, besides: false }
  for (const { approvals, notTheAuthor } of rules) {
    const besides = notTheAuthor.value && approvals.value > 0
    const asked = approvals.value + (besides ? 1 : 0)
    if (asked > most.asked) most = { asked, besides }
  }
  if (most.asked === 0) return null
  const people = await there.people()
  return most.asked > people ? { ...most, people } : null
}
