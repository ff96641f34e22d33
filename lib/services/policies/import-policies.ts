import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { compared, policiesOf, type Imported } from './imported'
import { namedOnce, oneWriter, write, type SavedPolicy } from './save-policy'
import { ImportPoliciesInput } from './schemas'

export interface ImportedPolicy extends SavedPolicy {
  is: Imported['is']
}

/** Saves every policy of a YAML text, or none: those that say something else than what is there get a new version. */
export async function importPolicies(ctx: Ctx, input: unknown): Promise<ImportedPolicy[]> {
  requirePermission(ctx, 'policies:write')
  const wishes = policiesOf(parseInput(ImportPoliciesInput, input).text)
  return namedOnce(wishes.map(({ name }) => name).join(', '), () =>
    db().$transaction(async (tx) => {
      await oneWriter(tx)
      const saved: ImportedPolicy[] = []
      for (const { wish, row, is } of await compared(tx, wishes)) {
        const of = row ? { ...wish, policyId: row.id, version: row.version } : wish
        const { id, name, version } = row && is === 'same' ? row : await write(tx, ctx, of)
        saved.push({ id, name, version, is })
      }
      return saved
    }),
  )
}
