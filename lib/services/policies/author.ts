import type { Tx } from '@/lib/db/client'
import { authorship, type Authorship } from '@/lib/domain/policies'

/** Who wrote a change: the person of Drydock that its field manager names by name or address, where it names one. */
export async function authorOf(tx: Tx, manager: string | null): Promise<Authorship> {
  if (!manager || manager === 'unknown') return authorship(null, [])
  const equals = { equals: manager.trim(), mode: 'insensitive' as const }
  const users = await tx.user.findMany({
    where: { OR: [{ name: equals }, { email: equals }] },
    select: { id: true, name: true, email: true },
  })
  return authorship(
    manager,
    users.map(({ id, name, email }) => ({ id, names: [name, email] })),
  )
}
