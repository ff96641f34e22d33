import * as z from 'zod'
import { ServiceError } from '../errors'
import { placeParts, placeText } from '../place'

/** A place in a list: how its last row is sorted. */
export const toCursor = (rank: number, name: string, id: string): string => placeText([rank, name, id])

const Cursor = z.tuple([z.int32(), z.string(), z.guid()])

export function fromCursor(text: string | undefined): { rank: number; name: string; id: string } | null {
  if (!text) return null
  try {
    const [rank, name, id] = Cursor.parse(placeParts(text))
    return { rank, name, id }
  } catch {
    const message = 'This place in the list is not known; begin at the top.'
    throw new ServiceError('invalid', message, { fields: [{ field: 'after', message }] })
  }
}
