import { versionKey } from '@/lib/domain/version'

export const MACHINE_SORTS = ['severity', 'name', 'version', 'age'] as const
export type MachineSort = (typeof MACHINE_SORTS)[number]

/** A filter term as the SQL needs it; the grammar is in lib/services/machines/filter. */
export interface WhereTerm {
  key: string
  not: boolean
  operator: string
  values: string[]
}

export interface MachineQuery {
  cluster?: string
  workload?: string
  terms: WhereTerm[]
  words: string[]
  sort: MachineSort
  descending: boolean
  after?: { key: string; name: string; id: string }
}

/** Columns that are compared as they are. Names of Kubernetes are lower case: LIKE needs no ILIKE. */
const EQUAL: Record<string, string> = {
  namespace: 'm.namespace',
  phase: 'm.phase',
  state: 'm.state',
  verdict: 'm.verdict',
  zone: 'm.failure_domain',
}
const LIKE: Record<string, string> = { group: 'm.group_name', node: 'm.node', image: 'm.boot_image' }
const CLUSTER_IDS = 'SELECT id FROM management_cluster WHERE'

const pattern = (value: string) =>
  `%${value
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')}%`

/** Conditions joined by AND; values are only ever parameters. */
export function whereOf(query: MachineQuery, values: unknown[]): string {
  const bind = (value: unknown) => `$${values.push(value)}`
  const parts: string[] = []
  if (query.cluster) parts.push(`m.cluster_id IN (${CLUSTER_IDS} name = ${bind(query.cluster)})`)
  if (query.workload) parts.push(`m.workload_cluster = ${bind(query.workload)}`)
  for (const term of query.terms) {
    const sql = termSql(term, bind)
    parts.push(term.not ? `NOT coalesce(${sql}, false)` : sql)
  }
  for (const word of query.words) {
    const p = bind(pattern(word))
    parts.push(`(m.name LIKE ${p} OR m.node LIKE ${p} OR lower(m.error) LIKE ${p})`)
  }
  return parts.join(' AND ')
}

function termSql({ key, operator, values }: WhereTerm, bind: (value: unknown) => string): string {
  if (EQUAL[key]) return `lower(${EQUAL[key]}) = ANY(${bind(values.map((v) => v.toLowerCase()))})`
  if (LIKE[key]) return `lower(${LIKE[key]}) LIKE ANY(${bind(values.map(pattern))})`
  if (key === 'cluster') {
    const names = bind(values)
    return `(m.workload_cluster = ANY(${names}) OR m.cluster_id IN (${CLUSTER_IDS} name = ANY(${names})))`
  }
  if (key === 'role') return `m.control_plane = ${bind(values.some((v) => v.startsWith('control')))}`
  if (key === 'error')
    return values.some((v) => /^(no|none|false)$/i.test(v)) ? 'm.error IS NULL' : 'm.error IS NOT NULL'
  return versionSql(operator, values, bind)
}

/** `version:1.34` is every patch of it; `<1.34` is below its first. */
function versionSql(operator: string, values: string[], bind: (value: unknown) => string): string {
  if (operator !== '=') return `m.version_key ${operator} ${bind(versionKey(whole(values[0]!)))}`
  const prefixes = values.map((value) => {
    const key = versionKey(whole(value))
    if (!key) return pattern(value)
    const given = value.replace(/^v/, '').split('.').length
    return `${key.split('.').slice(0, given).join('.')}%`
  })
  return `m.version_key LIKE ANY(${bind(prefixes)})`
}

const whole = (version: string) => (/^v?\d+$/.test(version) ? `${version}.0` : version)

const KEYS: Record<MachineSort, { sql: string; type: string }> = {
  severity: { sql: 'm.severity', type: 'int' },
  name: { sql: 'm.name', type: 'text' },
  version: { sql: `coalesce(m.version_key, '')`, type: 'text' },
  age: { sql: 'm.created_at', type: 'timestamptz' },
}

/** By the chosen column, then by name: an order without ties, so that a page ends somewhere. */
export function orderBy({ sort, descending }: MachineQuery): { key: string; sql: string } {
  const key = KEYS[sort].sql
  return { key, sql: `${key} ${descending ? 'DESC' : 'ASC'}, m.name ASC, m.id ASC` }
}

export function keysetAfter(query: MachineQuery, values: unknown[]): string {
  if (!query.after) return ''
  const { sql, type } = KEYS[query.sort]
  const key = `$${values.push(query.after.key)}::${type}`
  const name = `$${values.push(query.after.name)}`
  const id = `$${values.push(query.after.id)}::uuid`
  return `(${sql} ${query.descending ? '<' : '>'} ${key} OR (${sql} = ${key} AND (m.name, m.id) > (${name}, ${id})))`
}
