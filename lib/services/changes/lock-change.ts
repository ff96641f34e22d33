import type { Tx } from '@/lib/db/client'

/** The change before its decisions: whoever writes both takes them in this order, and nobody waits in a circle. */
export async function lockChange(tx: Tx, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM change WHERE id = ${id}::uuid FOR UPDATE`
}
