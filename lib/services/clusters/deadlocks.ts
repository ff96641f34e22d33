/** Prisma's own code of it, or the database's, of SQL that we wrote. */
const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && ((error as { code?: unknown }).code === 'P2034' || error.message.includes('40P01'))

/**
 * Of transactions that wait for each other in a circle the database ends one, of which nothing is left: done once more, it finds its
 * turn.
 */
export async function despiteDeadlocks<T>(transaction: () => Promise<T>, tries = 3): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (tries <= 1 || !isDeadlock(error)) throw error
    return despiteDeadlocks(transaction, tries - 1)
  }
}
