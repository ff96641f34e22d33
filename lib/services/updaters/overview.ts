import { db, pool } from '@/lib/db/client'
import * as z from 'zod'
import { parseInput, requirePermission, type Ctx } from '../context'
import { dependentOf, inPlaceChanges, type Dependent } from './dependents'
import { updaterDto, type UpdaterDto } from './list-updaters'

export interface UpdaterAnswer {
  hook: string
  ok: boolean
  message: string
  ms: number
  count: number
  lastAt: string
}

/** What it covers of one change. */
export interface UpdaterCovered {
  changeId: string
  group: string
  clusterName: string
  state: string
  detectedAt: string
  fields: string[]
}

export interface UpdaterView extends UpdaterDto {
  answers: UpdaterAnswer[]
  covered: UpdaterCovered[]
  /** Approved or running in-place changes that it has a part in. */
  dependents: Dependent[]
}

export interface UpdatersOfCluster {
  id: string
  name: string
  updaters: UpdaterView[]
}

const Input = z.object({ cluster: z.string().max(253, 'A name has at most 253 characters.').optional() })
const ANSWERS = 6
const COVERED = 4

/** Of each management cluster the newest changes that an updater has a part in: as many as are shown of one, and more. */
const COVERS = `
SELECT c.id, concat(c.namespace, '/', c.group_name) AS "group", m.id AS cluster_id, m.name AS cluster_name, c.state,
  c.detected_at, updater, array_agg(DISTINCT concat(f->>'object', ': ', f->>'path')) AS fields
FROM management_cluster m
CROSS JOIN LATERAL (
  SELECT id, namespace, group_name, state, detected_at, change_set FROM change
  WHERE cluster_id = m.id ORDER BY detected_at DESC LIMIT $2
) c
CROSS JOIN LATERAL jsonb_array_elements(
  CASE jsonb_typeof(c.change_set->'fields') WHEN 'array' THEN c.change_set->'fields' ELSE '[]' END) f
CROSS JOIN LATERAL unnest(string_to_array(f->>'coveredBy', ', ')) updater
WHERE m.id = ANY($1::uuid[])
GROUP BY c.id, c.namespace, c.group_name, m.id, m.name, c.state, c.detected_at, updater
ORDER BY c.detected_at DESC`

interface Row {
  id: string
  group: string
  cluster_id: string
  cluster_name: string
  state: string
  detected_at: Date
  updater: string
  fields: string[]
}

/** The updaters of each management cluster in their order, with how they fare and what they lately covered. */
export async function updatersOverview(ctx: Ctx, input: unknown = {}): Promise<UpdatersOfCluster[]> {
  requirePermission(ctx, 'fleet:read')
  const { cluster } = parseInput(Input, input)
  const [all, rows] = await Promise.all([
    db().managementCluster.findMany({
      where: { state: { not: 'disconnected' }, ...(cluster ? { name: cluster } : {}) },
      orderBy: { name: 'asc' },
      select: { id: true, name: true, discovery: true },
    }),
    db().updater.findMany({
      orderBy: [{ position: 'asc' }, { createdAt: 'asc' }],
      include: { calls: { orderBy: { id: 'desc' }, take: ANSWERS } },
    }),
  ])
  const clusters = all.filter(
    ({ id, discovery }) =>
      (discovery as { clusterApi?: unknown } | null)?.clusterApi || rows.some((row) => row.clusterId === id),
  )
  const [{ rows: covers }, changes] = await Promise.all([
    pool().query<Row>(COVERS, [clusters.map(({ id }) => id), clusters.length > 5 ? 25 : 100]),
    db().$transaction((tx) => inPlaceChanges(tx, clusters.length === 1 ? clusters[0]!.id : null)),
  ])
  return clusters.map(({ id, name }) => ({
    ...{ id, name },
    updaters: rows
      .filter((row) => row.clusterId === null || row.clusterId === id)
      .map((row) => ({
        ...updaterDto(row),
        answers: row.calls.map((call) => ({
          ...{ hook: call.hook, ok: call.answer === 'ok', message: call.message, ms: call.ms, count: call.count },
          lastAt: call.lastAt.toISOString(),
        })),
        covered: covers
          .filter((c) => c.updater === row.name && c.cluster_id === id)
          .slice(0, COVERED)
          .map((c) => ({
            ...{ changeId: c.id, group: c.group, clusterName: c.cluster_name, state: c.state, fields: c.fields },
            detectedAt: c.detected_at.toISOString(),
          })),
        dependents: changes.filter((change) => change.clusterName === name && change.hasPart(row)).map(dependentOf),
      })),
  }))
}
