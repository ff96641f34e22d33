/**
 * What an error says, fit for a log: Prisma’s quote the whole call, with every value that was to be written; their last
 * line says what is wrong.
 */
export function errorText(error: Error): string {
  if (!error.name.startsWith('PrismaClient')) return error.message
  return error.message.trimEnd().split('\n').at(-1)!.trim()
}

/** The stack begins with the message, so it is exchanged there, too. */
export const errorStack = (error: Error): string | undefined =>
  error.stack?.replace(error.message, () => errorText(error))
