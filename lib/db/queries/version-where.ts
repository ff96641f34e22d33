import { isPrerelease, releaseKey, versionKey } from '@/lib/domain/version'

/** Adds a value to a statement's parameters and names its place. */
export type Bind = (value: unknown) => string

/** What a person typed as part of a name, for LIKE; a star stands for anything. */
export const pattern = (value: string): string =>
  `%${value
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')}%`

/** `version:1.34` is every patch of it; `<1.34` is below its first. Pre-releases are of their version, unless one is named. */
export function versionSql(column: string, operator: string, values: string[], bind: Bind): string {
  if (operator !== '=') {
    const key = versionKey(whole(values[0]!))!
    const below = operator === '<' || operator === '>='
    return `${column} ${operator} ${bind(!isPrerelease(key) && below ? releaseKey(key) : key)}`
  }
  const patterns = values.map((value) => {
    const key = versionKey(whole(value))
    if (!key) return pattern(value)
    if (isPrerelease(key)) return key
    const given = value.replace(/^v|[-+].*$/g, '').split('.').length
    return `${releaseKey(key).split('.').slice(0, given).join('.')}%`
  })
  return `${column} LIKE ANY(${bind(patterns)})`
}

const whole = (version: string) => (/^v?\d+$/.test(version) ? `${version}.0` : version)
