import type { PoolClient } from 'pg'
import { arrayText } from './array'
import type { Table } from './tables'

/** Which rows a list is the whole truth about. */
export type Only = { provider: string } | { kind: string; apiGroup: string } | Record<string, never>

/** How many rows are different now, and which, where they are few enough to be named in an announcement. */
export interface Changed {
  count: number
  ids: string[] | null
}

export interface Others {
  n: number
  clusters: string[]
}

/** Named: Postgres parses and plans it once per connection. */
interface Statement {
  name: string
  text: string
  /** Fields whose arrays are its parameters, after the cluster's id. */
  fields: string[]
}

const MAX_NAMED = 50
const EXPRESSIONS = { provider: 't.provider', kind: 't.kind', apiGroup: "split_part(t.api_version, '/', 1)" }
const cached = new Map<Table, { upsert: Statement; displace: Statement | null }>()

/** Inserts and updates rows of one cluster in one statement. */
export async function upsertRows(
  client: PoolClient,
  table: Table,
  clusterId: string,
  rows: readonly object[],
): Promise<Changed> {
  if (rows.length === 0) return NOTHING
  let sql = cached.get(table)
  if (!sql) cached.set(table, (sql = statements(table)))
  const given = ({ name, text, fields }: Statement) => {
    const values = [clusterId, ...fields.map((field) => arrayText(rows, field, table.columns[field]![1]))]
    return { name, text, values }
  }
  if (sql.displace) await client.query(given(sql.displace))
  return read(await client.query<Changed>(given(sql.upsert)))
}

export async function deleteRows(
  client: PoolClient,
  table: Table,
  clusterId: string,
  ids: readonly string[],
): Promise<Changed> {
  if (ids.length === 0) return NOTHING
  const text = `DELETE FROM ${table.name} WHERE cluster_id = $1 AND id = ANY($2::uuid[]) RETURNING id`
  return read(await client.query<Changed>(counted(text), [clusterId, ids]))
}

/**
 * After a complete list: deletes the rows of one kind that the cluster no longer has. `only` names the kind.
 */
export async function pruneRows(
  client: PoolClient,
  table: Table,
  clusterId: string,
  only: Only,
  keep: readonly string[],
): Promise<Changed> {
  const given = Object.entries(only) as [keyof typeof EXPRESSIONS, string][]
  const where = given.map(([key], i) => `AND ${EXPRESSIONS[key]} = $${i + 3}`)
  const text = `DELETE FROM ${table.name} t WHERE t.cluster_id = $1 ${where.join(' ')}
     AND NOT EXISTS (SELECT 1 FROM unnest($2::uuid[]) AS kept(id) WHERE kept.id = t.id) RETURNING t.id`
  // As text: the driver would take each of tens of thousands of ids apart in one go.
  const kept = `{${keep.join(',')}}`
  return read(await client.query<Changed>(counted(text), [clusterId, kept, ...given.map(([, value]) => value)]))
}

/** Both together. */
export function changedIn(a: Changed, b: Changed): Changed {
  const count = a.count + b.count
  return { count, ids: a.ids && b.ids && count <= MAX_NAMED ? [...a.ids, ...b.ids] : null }
}

/**
 * A row belongs to the object's cluster for as long as that is connected: one that answers with another's uids, a clone or
 * worse, takes nothing away from it. Of `t` and `EXCLUDED`.
 */
export const MAY_TAKE =
  '(t.cluster_id = EXCLUDED.cluster_id OR NOT EXISTS (SELECT 1 FROM cluster_credential k WHERE k.cluster_id = t.cluster_id))'

/** How many of these are rows of other clusters that are connected, and of which. */
export async function rowsOfOthers(
  client: PoolClient,
  table: Table,
  clusterId: string,
  ids: readonly string[],
): Promise<Others> {
  const { rows } = await client.query<Others>(
    `SELECT count(*)::int AS n, coalesce(array_agg(DISTINCT t.cluster_id::text), '{}') AS clusters FROM ${table.name} t JOIN unnest($2::uuid[]) AS r(id) ON r.id = t.id WHERE t.cluster_id <> $1`,
    [clusterId, `{${ids.join(',')}}`],
  )
  return rows[0]!
}

const NOTHING: Changed = { count: 0, ids: [] }

/** The ids of thousands of rows would travel for nothing. */
const counted = (text: string): string =>
  `WITH changed AS (${text}) SELECT count(*)::int AS count,
     CASE WHEN count(*) <= ${MAX_NAMED} THEN array_agg(id) END AS ids FROM changed`

function read({ rows: [changed] }: { rows: Changed[] }): Changed {
  return changed && changed.count > 0 ? changed : NOTHING
}

function statements(table: Table): { upsert: Statement; displace: Statement | null } {
  const fields = Object.entries(table.columns)
  const columns = fields.map(([, [column]]) => column)
  const settable = columns.filter((column) => column !== 'id')
  const compared = fields.filter(([field]) => field !== 'id' && !table.quiet?.includes(field)).map(([, [c]]) => c)
  // LEAST passes over what is null.
  const given = (c: string) =>
    table.earliest?.includes(c)
      ? `CASE WHEN EXCLUDED.${c} IS NOT NULL THEN LEAST(t.${c}, EXCLUDED.${c}) END`
      : `EXCLUDED.${c}`
  const updates = ['cluster_id', ...settable].map((c) => `${c} = ${given(c)}`).concat(`${table.touched} = now()`)
  // Left behind by another connection: the row is the object's, whoever follows it now, but nothing that was let go there counts.
  for (const c of table.forgotten ?? [])
    updates.push(`${c} = CASE WHEN t.cluster_id = EXCLUDED.cluster_id THEN t.${c} END`)
  const upsert = `INSERT INTO ${table.name} AS t (cluster_id, ${columns.join(', ')})
      SELECT $1::uuid, r.* FROM ${records(table, Object.keys(table.columns))}
      ON CONFLICT (id) DO UPDATE SET ${updates.join(', ')}
      WHERE (t.cluster_id, ${compared.map((c) => `t.${c}`).join(', ')}) IS DISTINCT FROM (EXCLUDED.cluster_id, ${compared.map(given).join(', ')})
        AND ${MAY_TAKE}
      RETURNING t.id`
  return {
    upsert: { name: `upsert ${table.name}`, text: counted(upsert), fields: Object.keys(table.columns) },
    displace: table.naturalKey ? displacing(table, table.naturalKey) : null,
  }
}

function displacing(table: Table, naturalKey: string[]): Statement {
  const fields = ['id', ...naturalKey]
  const same = naturalKey.map((field) => `t.${column(table, field)} = r.${column(table, field)}`).join(' AND ')
  const text = `DELETE FROM ${table.name} t USING ${records(table, fields)}
      WHERE t.cluster_id = $1::uuid AND ${same} AND t.id <> r.id`
  return { name: `displace ${table.name}`, text, fields }
}

const column = (table: Table, field: string): string => table.columns[field]![0]

/** The rows out of their arrays, from the second parameter on. */
function records(table: Table, fields: string[]): string {
  const arrays = fields.map((field, i) => `$${i + 2}::${table.columns[field]![1]}[]`)
  return `unnest(${arrays.join(', ')}) AS r(${fields.map((field) => column(table, field)).join(', ')})`
}
