import * as z from 'zod'
import { ServiceError } from '../errors'
import { isTime, placeParts, placeText } from '../place'

/** Where a page of a list ended: its order, and of its last row the key, the name and the id. */
const Place = z.tuple([z.string(), z.string(), z.string(), z.guid()])
const NUMBERS = ['risk', 'distance', 'machines']

export const encodePlace = (sort: string, row: { sortKey: string; name: string; id: string }): string =>
  placeText([sort, row.sortKey, row.name, row.id])

export function decodePlace(after: string, sort: string): { key: string; name: string; id: string } {
  try {
    const [by, key, name, id] = Place.parse(placeParts(after))
    if (by !== sort) throw new Error('another order')
    if (NUMBERS.includes(sort) && !/^-?\d{1,9}$/.test(key)) throw new Error('no number')
    if (['review', 'age'].includes(sort) && !/^-?infinity$/.test(key) && !isTime(key)) throw new Error('no time')
    return { key, name, id }
  } catch {
    throw new ServiceError('invalid', 'This is not a place in this list; begin at its top.', {
      fields: [{ field: 'after', message: 'This is not a place in this list.' }],
    })
  }
}
