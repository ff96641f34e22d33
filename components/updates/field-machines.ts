import type { ChangeSet, ShownChange } from '@/lib/domain/changes/types'

/** Which machines a row of *What changes* belongs to; null: to all of them. */
export function machinesOf({ of }: ShownChange, { pairs }: ChangeSet): { machines: number; from: string[] } | null {
  if (!of) return null
  const having = pairs.filter(({ from }) => of.includes(from))
  return { machines: having.reduce((sum, pair) => sum + pair.machines, 0), from: having.map((pair) => pair.from) }
}
