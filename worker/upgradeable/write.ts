import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { json, jsonText } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import { UNREAD } from '@/lib/domain/upgradeable/types'
import { isOwned } from '../owned'
import { heardLast } from '../silence'
import type { UpdateRows } from './rows'

/** Writes what is known of a cluster's updates in one transaction. False: another worker owns the cluster by now. */
export async function writeUpdates(
  clusterId: string,
  fence: bigint,
  { updates, blockers, gates }: UpdateRows,
  heardAt?: number,
  /** Streams that are not heard any more, where `updates` says so. */
  silent: string[] = [],
): Promise<boolean> {
  const data = {
    ...updates,
    choices: json(updates.choices),
    underway: updates.underway ? json(updates.underway) : Prisma.DbNull,
    overrides: json(updates.overrides),
    seenAt: new Date(),
  }
  return db().$transaction(async (tx) => {
    if (!(await isOwned(tx, clusterId, fence))) return false
    const unheardSince = updates.unheardWhy === null ? null : await unheardFrom(tx, clusterId, silent)
    const all = { ...data, unheardSince }
    await tx.clusterUpdates.upsert({ where: { clusterId }, create: { clusterId, ...all }, update: all })
    await tx.upgradeBlocker.deleteMany({ where: { clusterId } })
    await tx.upgradeBlocker.createMany({
      data: blockers.map(({ since, ...blocker }) => ({ ...blocker, clusterId, since: moment(since) })),
    })
    // Since when a gate is there nobody writes down: it is when Drydock first saw it, also where it cannot be read for a while.
    if (updates.gatesRead === 'unreadable')
      await tx.adminGate.updateMany({ where: { clusterId }, data: { state: UNREAD } })
    else await tx.adminGate.deleteMany({ where: { clusterId, name: { notIn: gates.map((gate) => gate.name) } } })
    await tx.$executeRaw`
      INSERT INTO admin_gate (cluster_id, name, position, text, state, release, ack, acked_by)
      SELECT ${clusterId}::uuid, name, position, text, state, release, ack, "ackedBy"
      FROM jsonb_to_recordset(${jsonText(gates)}::jsonb)
        AS g(name text, position int, text text, state text, release text, ack text, "ackedBy" text)
      ON CONFLICT (cluster_id, name) DO UPDATE SET position = EXCLUDED.position, text = EXCLUDED.text,
        state = EXCLUDED.state, release = EXCLUDED.release, ack = EXCLUDED.ack, acked_by = EXCLUDED.acked_by`
    await announce(tx, { topic: 'gates', cluster: clusterId, heardAt })
    return true
  })
}

/** Where nothing tells since when they are silent, since this was told last. */
export async function unheardFrom(tx: Prisma.TransactionClient, clusterId: string, silent: string[]): Promise<Date> {
  const heard = await heardLast(tx, clusterId, silent)
  if (heard) return heard
  const row = await tx.clusterUpdates.findUnique({ where: { clusterId } })
  return row?.unheardSince ?? row?.seenAt ?? new Date()
}

const moment = (text: string | null): Date | null => {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? null : new Date(ms)
}
