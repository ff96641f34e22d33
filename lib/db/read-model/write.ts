import type { PoolClient } from 'pg'
import type { Table } from './tables'

/** Which rows a list is the whole truth about. */
export type Only = { provider: string } | { kind: string; apiGroup: string }

const EXPRESSIONS = { provider: 't.provider', kind: 't.kind', apiGroup: "split_part(t.api_version, '/', 1)" }

const cached = new Map<Table, { upsert: string; displace: string | null }>()

/** Inserts and updates rows of one cluster in one statement; returns the ids of those that did change. */
export async function upsertRows(
  client: PoolClient,
  table: Table,
  clusterId: string,
  rows: readonly object[],
): Promise<string[]> {
  if (rows.length === 0) return []
  let sql = cached.get(table)
  if (!sql) cached.set(table, (sql = statements(table)))
  const document = documentOf(rows)
  if (sql.displace) await client.query(sql.displace, [clusterId, document])
  const { rows: changed } = await client.query<{ id: string }>(sql.upsert, [clusterId, document])
  return changed.map((row) => row.id)
}

/** As JSON; without NUL characters, which Postgres stores nowhere: one in an annotation would stop its whole batch for good. */
function documentOf(rows: readonly object[]): string {
  const document = JSON.stringify(rows)
  if (!document.includes('\\u0000')) return document
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '') : value,
  )
}

export async function deleteRows(
  client: PoolClient,
  table: Table,
  clusterId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query<{ id: string }>(
    `DELETE FROM ${table.name} WHERE cluster_id = $1 AND id = ANY($2::uuid[]) RETURNING id`,
    [clusterId, ids],
  )
  return rows.map((row) => row.id)
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
): Promise<string[]> {
  const given = Object.entries(only) as [keyof typeof EXPRESSIONS, string][]
  const where = given.map(([key], i) => `AND ${EXPRESSIONS[key]} = $${i + 3}`)
  const { rows } = await client.query<{ id: string }>(
    `DELETE FROM ${table.name} t WHERE t.cluster_id = $1 ${where.join(' ')}
     AND NOT EXISTS (SELECT 1 FROM unnest($2::uuid[]) AS kept(id) WHERE kept.id = t.id) RETURNING t.id`,
    [clusterId, keep, ...given.map(([, value]) => value)],
  )
  return rows.map((row) => row.id)
}

function statements(table: Table) {
  const fields = Object.entries(table.columns)
  const columns = fields.map(([, [column]]) => column)
  const record = fields.map(([field, [, type]]) => `"${field}" ${type}`).join(', ')
  const values = fields.map(([field]) => `r."${field}"`).join(', ')
  const settable = columns.filter((column) => column !== 'id')
  const compared = fields.filter(([field]) => field !== 'id' && !table.quiet?.includes(field)).map(([, [c]]) => c)
  const updates = [...settable.map((c) => `${c} = EXCLUDED.${c}`), `${table.touched} = now()`]
  // Field names of the natural keys are one word each, so they are column names too.
  const same = table.naturalKey?.map((column) => `t.${column} = r."${column}"`).join(' AND ')
  return {
    upsert: `INSERT INTO ${table.name} AS t (cluster_id, ${columns.join(', ')})
      SELECT $1::uuid, ${values} FROM json_to_recordset($2::json) AS r(${record})
      ON CONFLICT (id) DO UPDATE SET ${updates.join(', ')}
      WHERE (${compared.map((c) => `t.${c}`).join(', ')}) IS DISTINCT FROM (${compared.map((c) => `EXCLUDED.${c}`).join(', ')})
      RETURNING t.id`,
    displace: same
      ? `DELETE FROM ${table.name} t USING json_to_recordset($2::json) AS r(${record})
         WHERE t.cluster_id = $1::uuid AND ${same} AND t.id <> r.id`
      : null,
  }
}
