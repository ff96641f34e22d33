import { ServiceError } from '../errors'

/** A place in a list: how its last row is sorted. */
export const toCursor = (rank: number, name: string, id: string): string =>
  Buffer.from(JSON.stringify([rank, name, id])).toString('base64url')

export function fromCursor(text: string | undefined): { rank: number; name: string; id: string } | null {
  if (!text) return null
  try {
    const [rank, name, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]
    if (typeof rank === 'number' && typeof name === 'string' && typeof id === 'string') return { rank, name, id }
  } catch {
    // Said below.
  }
  const message = 'This place in the list is not known; begin at the top.'
  throw new ServiceError('invalid', message, { fields: [{ field: 'after', message }] })
}
