import { storableDeep } from '@/lib/domain/text'

/** Where a page of a list ended, as the next one is asked for. */
export const placeText = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The same, as it came: anything may stand in it, but for what no database takes. Throws where it is none. */
export const placeParts = (text: string): unknown => storableDeep(JSON.parse(Buffer.from(text, 'base64url').toString()))

/** As Postgres writes a time: Date.parse takes a number for a year. */
export const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))
