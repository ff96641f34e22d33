import type { Change, Prisma } from '@/lib/db/generated/client'
import { cannotWrite, POOLS } from '@/lib/domain/access/cannot-write'
import type { Capabilities } from '@/lib/domain/capabilities'
import { POOL } from '@/lib/domain/latch/hold'

/** Of a pool that Drydock holds: why it could not let it go, as far as the connection was checked; null: it could. */
export function cannotLetGo(
  { groupKind, heldBy }: Pick<Change, 'groupKind' | 'heldBy'>,
  discovery: Prisma.JsonValue | undefined,
): string | null {
  if (groupKind !== POOL || ['person', 'none'].includes(heldBy)) return null
  return cannotWrite((discovery ?? null) as Partial<Capabilities> | null, POOLS)
}
