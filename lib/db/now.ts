import type { Tx } from './client'

/** By the database's clock: what came first is told by it, whoever's own clock is wrong. */
export async function databaseNow(tx: Tx): Promise<Date> {
  const [row] = await tx.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  return row!.now
}
