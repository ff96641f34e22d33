import { jsonText } from '../json'

/**
 * One field of many rows as the text of a Postgres array: unnest() of such arrays costs the database half of what taking
 * apart a JSON document of the rows does. NUL characters, which Postgres stores nowhere, are left out: one in an annotation
 * would stop its whole batch for good.
 */
export function arrayText(rows: readonly object[], field: string): string {
  let text = '{'
  for (const row of rows) text += (text.length > 1 ? ',' : '') + cell((row as Record<string, unknown>)[field])
  text += '}'
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'NULL'
  return quoted(value instanceof Date ? value.toISOString() : jsonText(value))
}

/** Half a surrogate pair needs nothing here: it becomes U+FFFD on the wire. */
const quoted = (text: string): string => `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
