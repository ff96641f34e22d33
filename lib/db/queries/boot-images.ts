import { pool } from '../client'
import {
  CLOSES,
  NODE_RISK,
  NODE_RISK_WHY,
  CLUSTERS,
  CLUSTER_FACETS,
  CLUSTER_ORDER,
  clustersWhere,
  IS_OPENSHIFT,
  NOT_KNOWN_CLOSED,
  ordered,
  SETS,
  SET_FACETS,
  SET_ORDER,
  setsWhere,
  type BootImageQuery,
  type ClusterSort,
  type SetSort,
} from './boot-image-where'
import type { FleetScope } from './fleet'
import { SHOWN } from './shown'

export interface ClusterListRow {
  id: string
  name: string
  connection: string
  connectionMessage: string | null
  lastHeardAt: Date | null
  /** false: its objects were never read. */
  known: boolean
  /** What the watch of its configuration says, or of another part without which nothing is judged, where it cannot be read. */
  refused: string | null
  infrastructureName: string | null
  version: string | null
  platform: string | null
  availability: string | null
  verdict: string
  /** Boot images keep its updates closed. */
  closes: boolean
  sentence: string | null
  mode: string | null
  modeWhy: string | null
  recordedOcp: string | null
  recordedRhcos: string | null
  floorOcp: string | null
  floorRhel: string | null
  /** It may be another: nobody has read that release. */
  floorUnsure: boolean
  distance: number | null
  nodeRisk: string
  nodeRiskWhy: string | null
  confidence: string
  confidenceWhy: string | null
  managed: string
  managedWords: string | null
  updateOpen: boolean | null
  flaggedWhy: string | null
  /** What the operator says of its last pass, where that failed. */
  passFailed: string | null
  /** That it stands still in the middle of one. */
  passStuck: string | null
  /** What it is told by and is not heard any more, and since when. */
  unheardWhy: string | null
  unheardSince: Date | null
  /** Of the word that stands: who gave it, and when somebody is to look at it again. */
  saidBy: string | null
  saidWhy: string | null
  reviewAt: Date | null
  reviewDue: boolean
  /** Machine sets and control planes by the state of their image. */
  sets: Record<string, number>
  sortKey: string
}

const CLUSTER_COLUMNS = `c.id, c.name, c.state AS connection, c.state_message AS "connectionMessage", c.last_heard_at AS "lastHeardAt",
  o.cluster_id IS NOT NULL AS known, o.infrastructure_name AS "infrastructureName", o.version, o.platform, o.availability,
  coalesce(o.verdict, 'unknown') AS verdict, coalesce(${CLOSES}, false) AS closes, o.sentence, o.mode, o.mode_why AS "modeWhy", o.recorded_ocp AS "recordedOcp",
  o.recorded_rhcos AS "recordedRhcos", o.floor_ocp AS "floorOcp", o.floor_rhel AS "floorRhel", coalesce(o.evidence ? 'unsure', false) AS "floorUnsure", o.distance,
  ${NODE_RISK} AS "nodeRisk", ${NODE_RISK_WHY} AS "nodeRiskWhy", coalesce(o.confidence, 'unknown') AS confidence,
  o.confidence_why AS "confidenceWhy", coalesce(o.managed_mode, 'not-told') AS managed, o.managed->>'words' AS "managedWords",
  o.update_open AS "updateOpen", o.flagged_why AS "flaggedWhy", o.pass_failed AS "passFailed", o.pass_stuck AS "passStuck",
  o.unheard_why AS "unheardWhy", o.unheard_since AS "unheardSince", w.actor_name AS "saidBy", w.reason AS "saidWhy",
  w.review_at AS "reviewAt", coalesce(w.review_at <= now(), false) AS "reviewDue"`

type Values = unknown[]
export type Keyed<T> = T & { k: unknown }
/** What the database sorted by is in sortKey, as a text. */
export const withoutKey = <T>({ k: _, ...row }: Keyed<T>) => row as unknown as T
export const binding = (values: Values) => (value: unknown) => `$${values.push(value)}`

/** Without these a cluster is not judged at all: which of them cannot be read is not that there is none of it. */
const NEEDED = `(1, 'machineconfigurations.operator.openshift.io', 'MachineConfiguration'), (2, 'clusterversions.config.openshift.io', 'ClusterVersion'),
  (3, 'infrastructures.config.openshift.io', 'Infrastructure'), (4, 'machinesets.machine.openshift.io', 'MachineSets')`

/** One page of OpenShift clusters. */
export async function clusterPage(query: BootImageQuery<ClusterSort>, limit: number): Promise<ClusterListRow[]> {
  const values: Values = []
  const bind = binding(values)
  const where = clustersWhere(query, bind)
  const { order, again, place, key } = ordered(CLUSTER_ORDER[query.sort], ['c.name', 'c.id'], query, bind)
  const { rows } = await pool().query<Keyed<ClusterListRow>>(
    `WITH page AS (
       SELECT ${CLUSTER_COLUMNS}, ${key}
       FROM ${CLUSTERS} WHERE ${IS_OPENSHIFT}${where}${place} ORDER BY ${order} LIMIT ${bind(limit)})
     SELECT page.*, k::text AS "sortKey",
       CASE WHEN known THEN NULL ELSE (SELECT what || ' cannot be read: ' || st.message
         FROM stream st JOIN (VALUES ${NEEDED}) AS needed(n, resource, what) USING (resource)
         WHERE st.cluster_id = page.id AND st.message IS NOT NULL ORDER BY n LIMIT 1) END AS refused,
       coalesce((SELECT jsonb_object_agg(g.state, g.n) FROM (
         SELECT x.told AS state, count(*)::int AS n FROM boot_image_set x WHERE x.cluster_id = page.id GROUP BY 1) g), '{}') AS sets
     FROM page ORDER BY ${again}`,
    values,
  )
  return rows.map(withoutKey)
}

export interface SetListRow {
  id: string
  clusterId: string
  cluster: string
  platform: string | null
  version: string | null
  kind: string
  name: string
  replicas: number
  state: string
  reason: string
  current: string | null
  wanted: string | null
  /** Release whose image is wanted. */
  streamVersion: string | null
  managed: boolean
  outcome: string
  arch: string | null
  dated: string | null
  datedSure: string | null
  marketplace: boolean
  /** Of the control plane's: it was never activated, and makes no machines. */
  inactive: boolean
  error: string | null
  sortKey: string
}

/** One page of machine sets and control planes over all clusters. */
export async function setPage(query: BootImageQuery<SetSort>, limit: number): Promise<SetListRow[]> {
  const values: Values = []
  const bind = binding(values)
  const where = setsWhere(query, bind)
  const { order, again, place, key } = ordered(SET_ORDER[query.sort], ['s.name', 's.id'], query, bind)
  const { rows } = await pool().query<Keyed<SetListRow>>(
    `WITH page AS (
       SELECT s.id, s.cluster_id AS "clusterId", c.name AS cluster, o.platform, o.version, s.kind, s.name, s.replicas, s.told AS state,
         s.reason, s.current, s.wanted, s.managed, s.outcome, s.arch, s.dated, s.dated_sure AS "datedSure", s.marketplace, s.error,
         ${key}
       FROM ${SETS} WHERE true${where}${place} ORDER BY ${order} LIMIT ${bind(limit)})
     SELECT page.*, k::text AS "sortKey", 
       (SELECT x.evidence->>'streamVersion' FROM openshift_cluster x WHERE x.cluster_id = page."clusterId") AS "streamVersion",
       EXISTS (SELECT 1 FROM machine_group g WHERE g.id = page.id AND g.kind = 'ControlPlaneMachineSet' AND g.paused) AS inactive
     FROM page ORDER BY ${again}`,
    values,
  )
  return rows.map(withoutKey)
}

export interface FacetValue {
  value: string
  count: number
}
export type FacetsOf<F extends string> = Record<F, FacetValue[]>

export type ClusterFacet = keyof typeof CLUSTER_FACETS
export type SetFacet = keyof typeof SET_FACETS

export const clusterFacets = (query: BootImageQuery<ClusterSort>) =>
  facets(CLUSTER_FACETS, (bind) => `${CLUSTERS} WHERE ${IS_OPENSHIFT}${clustersWhere(query, bind)}`)

export const setFacets = (query: BootImageQuery<SetSort>) =>
  facets(SET_FACETS, (bind) => `${SETS} WHERE true${setsWhere(query, bind)}`)

/** How many there are of each value of each facet, and in all, in one pass. */
export async function facets<F extends string>(
  all: Readonly<Record<F, string>>,
  from: (bind: (value: unknown) => string) => string,
): Promise<{ total: number; facets: FacetsOf<F> }> {
  const values: Values = []
  const names = Object.keys(all) as F[]
  const columns = names.map((name) => `${all[name]} AS f_${name}`).join(', ')
  const sets = names.map((name) => `(f_${name})`).join(', ')
  const { rows } = await pool().query<Record<string, string | number | null>>(
    `SELECT ${names.map((name) => `f_${name}`).join(', ')}, count(*)::int AS n,
       grouping(${names.map((name) => `f_${name}`).join(', ')})::int AS g
     FROM (SELECT ${columns} FROM ${from(binding(values))}) x GROUP BY GROUPING SETS ((), ${sets})`,
    values,
  )
  const found = Object.fromEntries(names.map((name) => [name, [] as FacetValue[]])) as FacetsOf<F>
  const every = 2 ** names.length - 1
  let total = 0
  for (const row of rows) {
    if (row.g === every) total = row.n as number
    names.forEach((name, i) => {
      if (row.g === every - 2 ** (names.length - 1 - i) && row[`f_${name}`] !== null)
        found[name].push({ value: row[`f_${name}`] as string, count: row.n as number })
    })
  }
  for (const name of names) found[name].sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  return { total, facets: found }
}

/** What the page is headed by, whatever it is filtered by. */
export interface BootImageSummary {
  clusters: number
  /** Whose updates their boot images keep closed. */
  closed: number
  /** Whose new machines are likely not to join. */
  atRisk: number
  flagged: number
  due: number
  /** Where the operator fails to update boot images, as failing:yes has it. */
  failing: number
  /** Of which it is not known now whether they keep updates closed. */
  unheard: number
}

export async function bootImageSummary(scope: FleetScope = {}): Promise<BootImageSummary> {
  const { rows } = await pool().query<BootImageSummary>(
    `SELECT count(*)::int AS clusters, count(*) FILTER (WHERE ${CLOSES})::int AS closed,
       count(*) FILTER (WHERE ${NODE_RISK} = 'likely')::int AS "atRisk", count(*) FILTER (WHERE o.flagged_why IS NOT NULL)::int AS flagged,
       count(*) FILTER (WHERE w.review_at <= now())::int AS due,
       count(*) FILTER (WHERE coalesce(o.pass_failed, o.pass_stuck) IS NOT NULL)::int AS failing,
       count(*) FILTER (WHERE ${NOT_KNOWN_CLOSED} OR c.state IN ('unreachable', 'unauthorised'))::int AS unheard
     FROM ${CLUSTERS} WHERE ${IS_OPENSHIFT} AND ($1::text IS NULL OR c.name = $1)`,
    [scope.cluster ?? null],
  )
  return rows[0]!
}

export interface ReviewRow {
  clusterId: string
  cluster: string
  action: string | null
  version: string | null
  actorName: string | null
  reviewAt: Date | null
  flaggedWhy: string | null
}

/** Acknowledgements and opt-outs that somebody has to look at again: their date has come, or the evidence speaks against them. */
export async function skewReviews(scope: FleetScope): Promise<ReviewRow[]> {
  const { rows } = await pool().query<ReviewRow>(
    `SELECT c.id AS "clusterId", c.name AS cluster, w.action, w.version, w.actor_name AS "actorName", w.review_at AS "reviewAt",
       o.flagged_why AS "flaggedWhy"
     FROM ${CLUSTERS} WHERE NOT ${CLOSES} AND (o.flagged_why IS NOT NULL OR w.review_at <= now())
       AND ($1::text IS NULL OR c.name = $1) ORDER BY w.review_at NULLS FIRST, c.name LIMIT ${SHOWN + 1}`,
    [scope.cluster ?? null],
  )
  return rows
}
