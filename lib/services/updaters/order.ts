import type { Tx } from '@/lib/db/client'
import type { Updater } from '@/lib/db/generated/client'

const LOCK = 7_207_008 // one who puts the updaters in order at a time

/** All updaters in their order, which nobody else changes before the transaction is over. */
export async function inOrder(tx: Tx): Promise<Updater[]> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`
  return tx.updater.findMany({ orderBy: [{ position: 'asc' }, { createdAt: 'asc' }] })
}

export async function number(tx: Tx, updaters: readonly Updater[]): Promise<void> {
  for (const [position, { id, position: before }] of updaters.entries())
    if (before !== position) await tx.updater.update({ where: { id }, data: { position } })
}
