import type { ChangeSet, FieldChange } from '@/lib/domain/changes/types'

const same = (a: FieldChange, b: FieldChange): boolean =>
  a.object === b.object &&
  a.path === b.path &&
  JSON.stringify([a.current, a.desired]) === JSON.stringify([b.current, b.desired])

/** Which machines a row of *What changes* belongs to; null: to all of them. */
export function machinesOf(field: FieldChange, { pairs }: ChangeSet): { machines: number; from: string[] } | null {
  const having = pairs.filter((pair) => pair.changes.some((change) => same(change, field)))
  if (having.length === 0 || having.length === pairs.length) return null
  return { machines: having.reduce((sum, pair) => sum + pair.machines, 0), from: having.map((pair) => pair.from) }
}
