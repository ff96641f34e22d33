import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { parseInput, requirePermission, type Ctx } from '../context'
import { atOnce, withDrafts, type AtOnce } from './at-once'
import { compared, policiesOf, type Imported } from './imported'
import { groupsChanged, groupsTouched, type ChangedGroup } from './previewed-groups'
import { readPolicies } from './read-policies'
import { PreviewImportInput } from './schemas'
import { warnedOf, type Warned } from './warned'

export interface ImportPreview {
  /** In the order of the text; `was`: what is there under its name. */
  policies: { name: string; is: Imported['is']; was: { id: string; version: number } | null }[]
  /** How many groups get other rules, and the first of them. */
  changing: number
  first: ChangedGroup[]
  atOnce: AtOnce
  /** Of each that would be written. */
  warned: WarnedPolicy[]
}

export interface WarnedPolicy extends Warned {
  name: string
  /** How many groups it is for. */
  matching: number
}

const MOST = 50
/** So many policies are looked at in one pass over the groups: what is kept of each is in memory together. */
const AT_A_TIME = 50

/** What an import would save, and what that does at once; nothing is written. */
export async function previewImport(ctx: Ctx, input: unknown): Promise<ImportPreview> {
  requirePermission(ctx, 'policies:write')
  const all = await compared(db(), policiesOf(parseInput(PreviewImportInput, input).text))
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
    policies: all.map(({ wish: { name }, row, is }) => ({
      name,
      is,
      was: row && { id: row.id, version: row.version },
    })),
    ...{ changing: changed.length, first: changed.slice(0, MOST) },
    atOnce: await atOnce(db(), before, after),
    warned: await warned(before, drafts),
  }
}

async function warned(before: readonly Policy[], drafts: readonly Policy[]): Promise<WarnedPolicy[]> {
  const found: WarnedPolicy[] = []
  for (let at = 0; at < drafts.length; at += AT_A_TIME) {
    const some = drafts.slice(at, at + AT_A_TIME)
    const touched = await groupsTouched(db(), before, drafts, some)
    for (const [i, draft] of some.entries()) {
      const matching = touched[i]!.filter(({ is }) => is)
      found.push({ name: draft.name, matching: matching.length, ...(await warnedOf(db(), draft, matching)) })
    }
  }
  return found
}
