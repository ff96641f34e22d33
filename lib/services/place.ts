import { storableDeep } from '@/lib/domain/text'

/** Where a page of a list ended, as the next one is asked for. */
export const placeText = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The same, as it came: anything may stand in it, but for what no database takes. Throws where it is none. */
export const placeParts = (text: string): unknown => storableDeep(JSON.parse(Buffer.from(text, 'base64url').toString()))

const TIME = /^(\d{4}-\d\d-\d\d)[ T]\d\d:\d\d:\d\d(\.\d+)?([+-](0\d|1[0-5])(:?[0-5]\d)?|Z)$/

/** As Postgres takes a time: Date.parse takes a number for a year, and the 31st of February for a day in March. */
export function isTime(text: string): boolean {
  const [, day] = TIME.exec(text) ?? []
  if (!day || day.startsWith('0000')) return false
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day) && !Number.isNaN(Date.parse(text))
}
