import { Prisma } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'
import { underWayOn } from './under-way'

/** Does what puts an action under way; an index of the database sees to it that it is the only one on its object. */
export async function onlyOne<T>(clusterId: string, target: string, words: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')) throw error
    const { message, hint } = (await underWayOn(clusterId, target, words)) ?? {
      message: `Another decision on ${words} was still under way.`,
      hint: 'Try again.',
    }
    throw new ServiceError('conflict', message, { hint })
  }
}
