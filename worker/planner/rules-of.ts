import { db } from '@/lib/db/client'
import type { Resolved } from '@/lib/domain/policies'
import { ServiceError } from '@/lib/services/errors'
import { rulesForAll, type Governed } from '@/lib/services/policies/rules-for'

/** Of each its rules, or why they cannot be known: a policy that cannot be read is no reason to look at nothing. */
export async function rulesOf(groups: readonly Governed[]): Promise<(Resolved | ServiceError)[]> {
  try {
    return await rulesForAll(db(), groups)
  } catch (error) {
    if (error instanceof ServiceError) return groups.map(() => error)
    throw error
  }
}
