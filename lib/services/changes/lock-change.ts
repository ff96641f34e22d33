import type { Tx } from '@/lib/db/client'

/** The change before its decisions: whoever writes both takes them in this order, and nobody waits in a circle. */
export async function lockChange(tx: Tx, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM change WHERE id = ${id}::uuid FOR UPDATE`
}

/** The same for who comes again anyway: false where somebody else has it at this moment. */
export async function tryLockChange(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM change WHERE id = ${id}::uuid FOR UPDATE SKIP LOCKED`
  return rows.length > 0
}

/** Many, in the order in which everybody takes them. */
export async function lockChanges(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM change WHERE id = ANY(${[...ids]}::uuid[]) ORDER BY id FOR UPDATE`
}
