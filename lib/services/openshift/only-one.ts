import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'
import { UNDER_WAY } from './action-row'
import { stepsOf } from './row-steps'

/** Does what puts an action under way; an index of the database sees to it that it is the only one on its object. */
export async function onlyOne<T>(clusterId: string, target: string, words: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')) throw error
    const other = await db().openShiftAction.findFirst({ where: { clusterId, target, state: { in: UNDER_WAY } } })
    const waits = other?.state === 'waiting' ? stepsOf(other)[other.step]?.waitsFor : undefined
    const until = waits ? ` and waits until ${waits}` : ''
    throw new ServiceError(
      'conflict',
      `Another decision on ${words}${other ? `, by ${other.actorName},` : ''} is still under way${until}.`,
      { hint: 'Wait until it is done, or cancel it.' },
    )
  }
}
