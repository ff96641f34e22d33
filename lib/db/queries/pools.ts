import { countCells, mergeCounts, type HullCell, type HullData } from '@/lib/domain/hull'
import { poolMark } from '@/lib/domain/pools/hull'
import { standingOf } from '@/lib/domain/pools/progress'
import type { Phase } from '@/lib/domain/pools/types'
import { pool } from '../client'

export interface PoolKey {
  clusterId: string
  name: string
}
export const poolKey = ({ clusterId, name }: PoolKey): string => `${clusterId}/${name}`

interface PoolReleases {
  wanted: string | null
  desired: string | null
  clusterUpdating: boolean | null
}
const RELEASES = `p.wanted_release AS wanted, p.desired_release AS desired, p.cluster_updating AS "clusterUpdating"`

/** What is degraded is said to be that, and needs somebody at once; it is not counted twice. */
export const STUCK = `(n.phase <> 'degraded' AND coalesce(n.stuck_from <= now(), false))`
const markOf = ({ phase, unavailable, stuck, ...of }: Omit<CountRow, 'place' | 'n'>) =>
  poolMark(phase, unavailable, standingOf(of), stuck)

interface CountRow extends PoolReleases {
  place: number
  phase: Phase
  unavailable: boolean
  stuck: boolean
  n: number
}

/** With LATERAL, so that the nodes of each are found by their index: joined to a list of keys, Postgres reads all nodes of the fleet. */
const KEYS = `unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS k(cluster_id, pool, place)
  LEFT JOIN config_pool p ON p.cluster_id = k.cluster_id AND p.name = k.pool`
const columnsOf = (keys: PoolKey[]) => [keys.map((k) => k.clusterId), keys.map((k) => k.name)]

/** Hulls of pools by their poolKey, with how many nodes are stuck; above `most` nodes only counts. */
export async function poolHulls(keys: PoolKey[], most: number): Promise<Map<string, HullData & { stuck: number }>> {
  if (keys.length === 0) return new Map()
  const { rows } = await pool().query<CountRow>(
    `SELECT k.place::int, ${RELEASES}, m.* FROM ${KEYS} CROSS JOIN LATERAL (
       SELECT n.phase, n.unavailable, ${STUCK} AS stuck, count(*)::int AS n
       FROM config_node n WHERE n.cluster_id = k.cluster_id AND n.pool = k.pool GROUP BY 1, 2, 3) m`,
    columnsOf(keys),
  )
  const byPlace = new Map<number, CountRow[]>()
  for (const row of rows) byPlace.set(row.place, [...(byPlace.get(row.place) ?? []), row])
  const hulls = new Map(
    keys.map((key, i) => {
      const mine = byPlace.get(i + 1) ?? []
      const counts = mergeCounts(mine.map(({ n, ...of }) => ({ ...markOf(of), count: n })))
      const sum = (rows: CountRow[]) => rows.reduce((total, { n }) => total + n, 0)
      const stuck = sum(mine.filter((row) => row.stuck))
      return [poolKey(key), { total: sum(mine), stuck, cells: null, counts } as HullData & { stuck: number }]
    }),
  )
  const few = keys.filter((key) => (hulls.get(poolKey(key))?.total ?? 0) <= most)
  const cells = await cellsOf(few, most)
  for (const key of few) {
    const hull = hulls.get(poolKey(key))!
    const list = cells.get(poolKey(key)) ?? []
    hulls.set(poolKey(key), { ...hull, total: list.length, cells: list, counts: countCells(list) })
  }
  return hulls
}

interface CellRow extends PoolReleases {
  place: number
  id: string
  name: string
  phase: Phase
  unavailable: boolean
  sentence: string
  stuck: boolean
}

async function cellsOf(keys: PoolKey[], most: number): Promise<Map<string, HullCell[]>> {
  const { rows } = await pool().query<CellRow>(
    `SELECT k.place::int, ${RELEASES}, m.* FROM ${KEYS} CROSS JOIN LATERAL (
       SELECT n.id, n.name, n.phase, n.unavailable, n.sentence, ${STUCK} AS stuck
       FROM config_node n WHERE n.cluster_id = k.cluster_id AND n.pool = k.pool
       ORDER BY n.zone COLLATE "C" NULLS LAST, n.name COLLATE "C" LIMIT $3) m
     ORDER BY k.place`,
    [...columnsOf(keys), most],
  )
  const cells = new Map<string, HullCell[]>()
  for (const { place, id, name, sentence, ...of } of rows) {
    const key = poolKey(keys[place - 1]!)
    const list = cells.get(key) ?? []
    list.push({
      id,
      name,
      ...markOf(of),
      note: of.stuck ? `Stuck. ${sentence}` : sentence,
    })
    cells.set(key, list)
  }
  return cells
}
