import { near } from '@/lib/domain/near'
import { matcher, type Selection } from '@/lib/domain/policies'
import type { There } from './there'

/** A label that no workload cluster has, and which there are instead. */
export interface StrangeLabel {
  label: string
  /** With its key, or else keys; those that are near first. */
  there: string[]
}

const MOST = 12

/** Of these selections, labels that are on no workload cluster: mostly a slip of the pen. */
export async function strangeLabels(
  { labels }: There,
  selections: readonly (Selection | undefined)[],
): Promise<StrangeLabel[]> {
  const asked = new Map(
    selections.flatMap((select) =>
      Object.entries(select?.labels ?? {}).map(([key, value]) => [`${key}=${value}`, { key, value }]),
    ),
  )
  if (asked.size === 0) return []
  const there = await labels()
  return [...asked.values()].flatMap(({ key, value }): StrangeLabel[] => {
    const values = there.get(key) ?? []
    const fits = matcher({ names: [value] })
    if (values.some((name) => fits({ ...NO_GROUP, name }) !== null)) return []
    const known = there.has(key) ? values.map((one) => `${key}=${one}`) : [...there.keys()]
    const label = value === '*' ? key : `${key}=${value}`
    const meant = near(there.has(key) ? label : key, known)
    const ordered = meant ? [meant, ...known.filter((one) => one !== meant)] : known
    return [{ label, there: ordered.slice(0, MOST) }]
  })
}
const NO_GROUP = { cluster: '', workloadCluster: '', labels: {}, namespace: '', kind: '' }
