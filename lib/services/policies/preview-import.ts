import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { parseInput, requirePermission, type Ctx } from '../context'
import { atOnce, withDrafts, type AtOnce } from './at-once'
import { compared, policiesOf, type Imported } from './imported'
import { groupsChanged, type ChangedGroup } from './previewed-groups'
import { readPolicies } from './read-policies'
import { ImportPoliciesInput } from './schemas'

export interface ImportPreview {
  /** In the order of the text. */
  policies: { name: string; is: Imported['is'] }[]
  /** How many groups get other rules, and the first of them. */
  changing: number
  first: ChangedGroup[]
  atOnce: AtOnce
}

const MOST = 50

/** What an import would save, and what that does at once; nothing is written. */
export async function previewImport(ctx: Ctx, input: unknown): Promise<ImportPreview> {
  requirePermission(ctx, 'policies:write')
  const all = await compared(db(), policiesOf(parseInput(ImportPoliciesInput, input).text))
  const written = all.filter(({ is }) => is !== 'same')
  const before = await readPolicies(
    db(),
    written.flatMap(({ row }) => row?.id ?? []),
  )
  const drafts = written.map(({ wish: { name, spec }, row }): Policy => ({
    id: row?.id ?? randomUUID(),
    name,
    version: 0,
    spec,
  }))
  const after = withDrafts(before, drafts)
  const changed = await groupsChanged(db(), before, after)
  return {
    policies: all.map(({ wish: { name }, is }) => ({ name, is })),
    ...{ changing: changed.length, first: changed.slice(0, MOST) },
    atOnce: await atOnce(db(), before, after),
  }
}
