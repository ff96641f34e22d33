import type { Tx } from '@/lib/db/client'
import { authorship, type Authorship } from '@/lib/domain/policies'

interface Person {
  id: string
  name: string
  email: string
}

/** Who wrote a change: the person of Drydock that its field manager names by name or address, where it names one. */
export async function authorOf(tx: Tx, manager: string | null): Promise<Authorship> {
  return (await authorsOf(tx, [manager])).get(manager)!
}

/** The same for many, with one query. */
export async function authorsOf(tx: Tx, managers: readonly (string | null)[]): Promise<Map<string | null, Authorship>> {
  const known = [...new Set(managers)].filter((name) => name && name !== 'unknown')
  const wanted = known.map((name) => name!.trim().toLowerCase())
  const people = wanted.length
    ? await tx.$queryRaw<
        Person[]
      >`SELECT id, name, email FROM "user" WHERE lower(name) = ANY(${wanted}) OR lower(email) = ANY(${wanted})`
    : []
  const named = people.map(({ id, name, email }) => ({ id, names: [name, email] }))
  return new Map(managers.map((manager) => [manager, authorship(manager === 'unknown' ? null : manager, named)]))
}
