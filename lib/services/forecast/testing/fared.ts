import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import { foretell, keepForetold } from '../foretell'
import type { Made } from './waiting'

/** Approved in place, with what is foretold of it by now. */
export async function approve(made: Made): Promise<void> {
  const { id } = await db().decision.create({
    data: {
      ...{ changeId: made.change.id, fingerprint: 'f', mode: 'in-place', actorId: 'a', actorName: 'Ada' },
      ...{ state: 'seen', acceptedAt: new Date() },
    },
  })
  const foretold = (await foretell(made.change.id, 'in-place'))!
  await db().$transaction((tx) => keepForetold(tx, id, made.change.id, foretold))
}

/** What became of one of its machines. */
export const became = (made: Made, name: string, state: string) =>
  db().machineProgress.updateMany({
    where: { changeId: made.change.id, machineName: name },
    data: { state, startedAt: new Date(), finishedAt: new Date() },
  })

/** One that was made. */
export const spare = (made: Made) =>
  db().machineProgress.create({
    data: {
      ...{ changeId: made.change.id, machineId: randomUUID(), machineName: 'md-x' },
      ...{ state: 'created', startedAt: new Date() },
    },
  })
