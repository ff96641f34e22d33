/** What reads the same with and without quotes. */
const PLAIN = /^(?!(true|false|null|yes|no|on|off)$)[A-Za-z_/•][\w./@%+=,•()$-]*( [\w./@%+=,•()$|&>-]+)*$/i

/** A value to be read and compared line by line: as YAML writes it, long texts with their line breaks. */
export function blockText(value: unknown): string {
  return typeof value === 'string' ? value : linesOf(value).join('\n')
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((item) => under('-', linesOf(item), item))
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, item]) => under(`${scalar(key)}:`, linesOf(item), item))
  if (typeof value === 'string' && value.includes('\n'))
    return [value.endsWith('\n') ? '|' : '|-', ...value.replace(/\n$/, '').split('\n')]
  return [scalar(value)]
}

/** Behind its dash or key: on the same line, or indented below. */
function under(head: string, [first = '', ...rest]: string[], item: unknown): string[] {
  const below = typeof item === 'object' && item !== null && head !== '-' && (rest.length > 0 || !isEmpty(item))
  const indented = (lines: string[]) => lines.map((line) => (line === '' ? '' : `  ${line}`))
  return below ? [head, ...indented([first, ...rest])] : [`${head} ${first}`, ...indented(rest)]
}

const scalar = (value: unknown): string =>
  typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isEmpty = (value: object): boolean => Object.keys(value).length === 0
