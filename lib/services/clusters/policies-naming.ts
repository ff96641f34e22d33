import type { Tx } from '@/lib/db/client'

interface Naming {
  name: string
  /** It is for that cluster by its name; else only some of its waves take it by that. */
  selects: boolean
}

/** Policies that name a management cluster. */
export async function policiesNaming(tx: Tx, cluster: string): Promise<Naming[]> {
  const selecting = { path: ['select', 'clusters'], array_contains: [cluster] }
  const waves = { path: ['waves'], array_contains: [{ select: { clusters: [cluster] } }] }
  const find = (...specs: object[]) =>
    tx.rolloutPolicy.findMany({
      where: { OR: specs.map((spec) => ({ spec })) },
      select: { id: true, name: true },
      orderBy: { name: 'asc' },
    })
  const selects = new Set((await find(selecting)).map(({ id }) => id))
  return (await find(selecting, waves)).map(({ id, name }) => ({ name, selects: selects.has(id) }))
}
