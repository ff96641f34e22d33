import type { Tx } from '@/lib/db/client'
import { movedNobodySql } from '@/lib/db/queries/moves-nobody'
import type { FieldChange } from '@/lib/domain/changes'
import { POOL } from '@/lib/domain/latch/hold'
import { keptOf, type Kept } from '@/lib/domain/waves'
import { OPEN_SQL } from '../changes/states'

/** What a pool went through before its newest change. `lost`: why that counts no more; left out: it still has it. */
export interface Had {
  wish: string
  exact: string | null
  since: number
  lost?: string
}

/** So far back, while configurations keep coming. */
const MOST = 10

/** By their uids, as newest.ts has it. `down`: not all of its nodes are available, by what is known of each or by its operator’s counts; `begun`: it is open, and some of it has. */
const CHANGES = `
WITH asked AS MATERIALIZED (
  SELECT g.id, EXISTS (
    SELECT 1 FROM config_pool p LEFT JOIN config_node n ON n.cluster_id = p.cluster_id AND n.pool = p.name
    WHERE p.id = g.id AND (n.unavailable OR n.phase = 'degraded' OR p.unavailable > 0 OR p.degraded > 0)) AS down
  FROM machine_group g WHERE g.kind = '${POOL}' AND g.id = ANY($1::uuid[]))
SELECT g.id::text AS "groupId", g.down, c.* FROM asked g CROSS JOIN LATERAL (
  SELECT id::text, state, wish, wish_exact AS exact, finished_at AS "finishedAt", ${movedNobodySql('change')} AS unmoved,
    state IN (${OPEN_SQL}) AND (state NOT IN ('waiting', 'rejected')
      OR EXISTS (SELECT 1 FROM machine_progress WHERE change_id = change.id AND started_at IS NOT NULL)) AS begun
  FROM change WHERE group_id = g.id AND state <> 'reverted' ORDER BY detected_at DESC, id LIMIT ${MOST}
) c`

interface Row {
  groupId: string
  down: boolean
  id: string
  state: string
  wish: string | null
  exact: string | null
  finishedAt: Date | null
  begun: boolean
  /** No machine is known to have begun with it. */
  unmoved: boolean
}

const FIELDS = `SELECT id::text, change_set->'fields' AS fields FROM change WHERE id = ANY($1::uuid[])`

/** What a change brought that is over stays the same, and is long: it is asked for once. */
const read = new Map<string, FieldChange[]>()
const MOST_READ = 5_000

async function fieldsOf(tx: Tx, rows: readonly Row[]): Promise<ReadonlyMap<string, FieldChange[]>> {
  if (read.size > MOST_READ) read.clear()
  // Taken now: another look may clear it while this one waits.
  const known = new Map(rows.flatMap(({ id }) => (read.has(id) ? [[id, read.get(id)!] as const] : [])))
  const asked = rows.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  const found =
    asked.length === 0 ? [] : await tx.$queryRawUnsafe<{ id: string; fields: FieldChange[] | null }[]>(FIELDS, asked)
  const over = new Set(rows.flatMap(({ id, finishedAt }) => (finishedAt ? [id] : [])))
  const now = new Map(found.map(({ id, fields }) => [id, fields ?? []]))
  for (const [id, fields] of now) if (over.has(id)) read.set(id, fields)
  return new Map(rows.map(({ id }) => [id, now.get(id) ?? known.get(id) ?? []]))
}

/**
 * By group. A pool has what it went through also when it wants something newer by now: configurations keep coming, and those that
 * wait for it would wait for ever.
 */
export async function poolsHave(tx: Tx, ids: readonly string[]): Promise<Map<string, Had[]>> {
  const rows = await tx.$queryRawUnsafe<Row[]>(CHANGES, ids)
  const byGroup = new Map<string, Row[]>()
  for (const row of rows) byGroup.set(row.groupId, [...(byGroup.get(row.groupId) ?? []), row])
  // Only of a pool that went through something before its newest change it matters what came since.
  const asked = [...byGroup.values()].filter(
    (changes) => whyNot(changes) === null && changes.slice(1).some(({ state }) => state === 'done'),
  )
  const fields = await fieldsOf(tx, asked.flat())
  const found = new Map<string, Had[]>()
  for (const [groupId, changes] of byGroup) {
    const not = whyNot(changes)
    const kept = keptOf(changes.map((row) => ({ ...row, fields: fields.get(row.id) ?? [] })))
    const had = kept.flatMap(({ change: { wish, exact, finishedAt, unmoved }, kept: is }): Had[] => {
      if (wish === null || !finishedAt || unmoved) return []
      const lost = not ?? LOST[is]
      return [{ wish, exact, since: finishedAt.getTime(), ...(lost === null ? {} : { lost }) }]
    })
    found.set(groupId, had)
  }
  return found
}

const LOST: Record<Kept, string | null> = {
  kept: null,
  back: 'a newer configuration of it takes that back, or part of it',
  unsure: 'whether a newer configuration of it takes that back cannot be told',
}

/** Why nothing of what a pool went through counts now; null: it may. */
function whyNot(changes: readonly Row[]): string | null {
  if (changes.some(({ begun }) => begun)) return 'a newer configuration has begun there'
  return changes.some(({ down }) => down) ? 'not all of its nodes are available' : null
}
