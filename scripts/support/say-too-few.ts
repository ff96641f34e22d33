import { tooFewWords } from '@/components/policies/people-words'
import type { Ctx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { shortOfPeople } from '@/lib/services/policies/short-of-people'

/** Behind what changed policies or people: which policies nobody can fulfil any more. What was done is done all the same. */
export async function sayTooFew(ctx: Ctx, say: (line: string) => void): Promise<void> {
  try {
    for (const short of await shortOfPeople(ctx)) say(`! The policy ${short.policy}: ${tooFewWords(short)}`)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    say(`! Whether enough people may approve is not known: ${error.message}`)
  }
}
