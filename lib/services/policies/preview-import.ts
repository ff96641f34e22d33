import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { db } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { parseInput, requirePermission, type Ctx } from '../context'
import { atOnce, withDrafts, type AtOnce } from './at-once'
import { compared, policiesOf, type Imported } from './imported'
import { groupsTouched, type PreviewedGroup, type Touched } from './previewed-groups'
import { readPolicies } from './read-policies'
import { PreviewImportInput } from './schemas'
import { whatIsThere } from './there'
import { warnedOf, type Warned } from './warned'

export interface ImportPreview {
  /** In the order of the text; `was`: what is there under its name. */
  policies: { name: string; is: Imported['is']; was: { id: string; version: number } | null }[]
  /** How many groups get other rules, and the first of them. */
  changing: number
  first: PreviewedGroup[]
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

/** What an import would save, and what that does at once; nothing is written. */
export async function previewImport(ctx: Ctx, input: unknown): Promise<ImportPreview> {
  requirePermission(ctx, 'policies:write')
  const all = await compared(db(), policiesOf(parseInput(PreviewImportInput, input).text))
  const { ids, drafts } = writtenOf(all)
  const before = await readPolicies(db(), ids)
  const touched = await groupsTouched(db(), before, drafts)
  const changing = touched.flatMap(({ shown }) => (shown.changes.length > 0 ? [shown] : []))
  return {
    policies: all.map(({ wish: { name }, row, is }) => ({
      name,
      is,
      was: row && { id: row.id, version: row.version },
    })),
    ...{ changing: changing.length, first: changing.slice(0, MOST) },
    atOnce: await atOnce(db(), before, withDrafts(before, drafts)),
    warned: await warned(touched, drafts),
  }
}

/** What it would write: over which policies, and what would be there. */
export function writtenOf(all: readonly Imported[]): { ids: string[]; drafts: Policy[] } {
  const written = all.filter(({ is }) => is !== 'same')
  return {
    ids: written.flatMap(({ row }) => row?.id ?? []),
    drafts: written.map(({ wish: { name, spec }, row }) => ({ id: row?.id ?? randomUUID(), name, version: 0, spec })),
  }
}

/** Of each of these policies; what they are held against is read once. */
async function warned(touched: readonly Touched[], drafts: readonly Policy[]): Promise<WarnedPolicy[]> {
  const there = whatIsThere(db())
  const found: WarnedPolicy[] = []
  for (const draft of drafts) {
    // Others have their turn: each may be for every group.
    await setImmediate()
    const matching = touched.filter(({ by }) => by.has(draft.id))
    found.push({ name: draft.name, matching: matching.length, ...(await warnedOf(there, draft, matching)) })
  }
  return found
}
