import { pattern, versionSql, type Bind } from './version-where'

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

/** Columns that are compared as they are. Names of Kubernetes and words of ours are lower case. */
const EQUAL: Record<string, string> = {
  namespace: 'm.namespace',
  phase: 'lower(m.phase)',
  state: 'm.state',
  verdict: 'm.verdict',
  zone: 'lower(m.failure_domain)',
}
const LIKE: Record<string, string> = { group: 'm.group_name', node: 'm.node', image: 'lower(m.boot_image)' }
/** Where words are looked for, as machine_text_idx has it: letter by letter the same. Names hold no line break. */
export const TEXT = `(m.name || E'\\n' || coalesce(m.node, '') || E'\\n' || coalesce(m.group_name, '') || E'\\n' || lower(coalesce(m.error, '')) || E'\\n' || lower(coalesce(m.boot_image, '')))`
const CLUSTER_IDS = 'SELECT id FROM management_cluster WHERE'

/** `machine_tally` has the columns of `machine`, but for these two. */
const SPECIAL = {
  machine: { version: 'm.version_key', error: 'm.error IS NOT NULL' },
  tally: { version: `nullif(m.version_key, '')`, error: 'm.error' },
}

/** Whether the filter asks only for what machines are counted by. */
export const countable = ({ terms, words }: MachineQuery): boolean =>
  words.length === 0 && terms.every((term) => !LIKE[term.key])

/** Conditions joined by AND, on `m`; values are only ever parameters. */
export function whereOf(query: MachineQuery, values: unknown[], from: 'machine' | 'tally'): string {
  const bind: Bind = (value) => `$${values.push(value)}`
  const parts: string[] = []
  if (query.cluster) parts.push(`m.cluster_id IN (${CLUSTER_IDS} name = ${bind(query.cluster)})`)
  if (query.workload) parts.push(`m.workload_cluster = ${bind(query.workload)}`)
  for (const term of query.terms) {
    const sql = termSql(term, bind, from)
    parts.push(term.not ? `NOT coalesce(${sql}, false)` : sql)
  }
  for (const word of query.words) {
    const p = bind(pattern(word))
    parts.push(`${TEXT} LIKE ${p} AND (m.name LIKE ${p} OR m.node LIKE ${p} OR lower(m.error) LIKE ${p})`)
  }
  return parts.join(' AND ') || 'true'
}

function termSql({ key, operator, values }: WhereTerm, bind: Bind, from: 'machine' | 'tally'): string {
  if (EQUAL[key]) return `${EQUAL[key]} = ANY(${bind(values.map((v) => v.toLowerCase()))})`
  // Not LIKE ANY, for which no index of letters is read.
  if (LIKE[key]) return `(${values.map((value) => like(LIKE[key]!, bind(pattern(value)))).join(' OR ')})`
  if (key === 'cluster') {
    const names = bind(values)
    return `(m.workload_cluster = ANY(${names}) OR m.cluster_id IN (${CLUSTER_IDS} name = ANY(${names})))`
  }
  if (key === 'role') return `m.control_plane = ${bind(values.some((v) => v.startsWith('control')))}`
  if (key === 'error')
    return `(${SPECIAL[from].error}) = ${bind(!values.some((v) => /^(no|none|false)$/i.test(v)))}::boolean`
  return versionSql(SPECIAL[from].version, operator, values, bind)
}

/** Found by letters, then looked at in its own column. */
const like = (column: string, p: string): string => `(${TEXT} LIKE ${p} AND ${column} LIKE ${p})`

/** Each is an index that ends in name and id. The weight of what is wrong counts down, so that its list begins with the worst. */
const KEYS: Record<MachineSort, { sql: string; type: string; down?: true }> = {
  severity: { sql: '(-m.severity)', type: 'int', down: true },
  name: { sql: 'm.name', type: 'text' },
  version: { sql: `coalesce(m.version_key, '')`, type: 'text' },
  age: { sql: 'm.created_at', type: 'timestamptz' },
}

/** By the chosen column, then by name: an order without ties, so that a page ends somewhere; the other way it is reversed. */
export function orderBy({ sort, descending }: MachineQuery): { key: string; sql: string } {
  const { sql: key, down = false } = KEYS[sort]
  const direction = descending === down ? 'ASC' : 'DESC'
  return { key, sql: [key, 'm.name', 'm.id'].map((column) => `${column} ${direction}`).join(', ') }
}

export function keysetAfter(query: MachineQuery, values: unknown[]): string {
  if (!query.after) return 'true'
  const { sql, type, down = false } = KEYS[query.sort]
  const { key, name, id } = query.after
  const place = [`$${values.push(key)}::${type}`, `$${values.push(name)}`, `$${values.push(id)}::uuid`]
  return `(${sql}, m.name, m.id) ${query.descending === down ? '>' : '<'} (${place.join(', ')})`
}
