import type { z } from 'zod'
import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { withDrafts } from './at-once'
import { oneWriter, requireGoesAsShown } from './goes-as-shown'
import { compared, policiesOf, type Imported } from './imported'
import { writtenOf } from './preview-import'
import { namedOnce, write, type SavedPolicy } from './save-policy'
import { ImportPoliciesInput } from './schemas'

export interface ImportedPolicy extends SavedPolicy {
  is: Imported['is']
}

/** Saves every policy of a YAML text, or none: those that say something else than what is there get a new version. */
export async function importPolicies(ctx: Ctx, input: unknown): Promise<ImportedPolicy[]> {
  requirePermission(ctx, 'policies:write')
  const { text, looked, goes } = parseInput(ImportPoliciesInput, input)
  const wishes = policiesOf(text)
  const word = await requireGoesAsShown(goes, async () => {
    const { ids, drafts } = writtenOf(await compared(db(), wishes))
    return { ids, after: (before) => withDrafts(before, drafts) }
  })
  return namedOnce(wishes.map(({ name }) => name).join(', '), () =>
    db().$transaction(async (tx) => {
      await oneWriter(tx, word)
      const all = await compared(tx, wishes)
      if (looked) requireAsLooked(all, looked)
      const saved: ImportedPolicy[] = []
      for (const { wish, row, is } of all) {
        const of = row ? { ...wish, policyId: row.id, version: row.version } : wish
        const { id, name, version } = row && is === 'same' ? row : await write(tx, ctx, of)
        saved.push({ id, name, version, is })
      }
      return saved
    }),
  )
}

type Looked = NonNullable<z.infer<typeof ImportPoliciesInput>['looked']>

/** Also where nothing would have been written: by now something would. */
function requireAsLooked(all: readonly Imported[], looked: Looked): void {
  const seen = new Map(looked.map(({ name, was }) => [name, was && `${was.id} ${was.version}`]))
  const other = all.filter(({ wish: { name }, row }) => seen.get(name) !== (row && `${row.id} ${row.version}`))
  if (other.length === 0) return
  const names = other.map(({ wish: { name } }) => name).join(', ')
  throw new ServiceError('conflict', `Somebody changed ${names} while you were looking at it. Nothing was saved.`, {
    hint: 'See what this would do by now.',
  })
}
