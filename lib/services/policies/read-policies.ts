import type { Tx } from '@/lib/db/client'
import type { RolloutPolicy } from '@/lib/db/generated/client'
import type { Policy } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { SpecInput } from './schemas'

/** A policy that something else than Drydock wrote. What it was to forbid is not known, so nothing is decided without it. */
export class UnreadablePolicy extends ServiceError {
  constructor(name: string) {
    super('internal', `The policy ${name} cannot be read, so nobody knows what it asks for.`, {
      hint: 'Its row in the database was changed by something else than Drydock. Edit or remove it on the page Policies.',
    })
  }
}

/** A row as a policy; null: it cannot be read. */
export function policyOf({ id, name, version, spec }: RolloutPolicy): Policy | null {
  const parsed = SpecInput.safeParse(spec)
  return parsed.success ? { id, name, version, spec: parsed.data } : null
}

/** All policies, for those who decide by them. Throws UnreadablePolicy; not for those that are being written anew. */
export async function readPolicies(tx: Tx, anew: readonly string[] = []): Promise<Policy[]> {
  const rows = await tx.rolloutPolicy.findMany({ orderBy: { name: 'asc' } })
  return rows.flatMap((row) => {
    const policy = policyOf(row)
    if (!policy && !anew.includes(row.id)) throw new UnreadablePolicy(row.name)
    return policy ?? []
  })
}
