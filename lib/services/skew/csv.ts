export type CsvValue = string | number | boolean | null

/** One line of RFC 4180. A text that a spreadsheet would take for a formula is put behind an apostrophe. */
export const csvLine = (values: readonly CsvValue[]): string => values.map(field).join(',') + '\r\n'

function field(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
