import { CLOSES_FROM, LIKELY, LIKELY_AND_OPEN } from '@/lib/domain/skew/risk'
import type { WhereTerm } from './machine-where'
import { pattern, versionSql, type Bind } from './version-where'

export interface BootImageQuery<Sort extends string> {
  /** Management cluster by name. */
  cluster?: string
  terms: WhereTerm[]
  words: string[]
  sort: Sort
  descending: boolean
  after?: { key: string; name: string; id: string }
}

export const CLUSTER_SORTS = ['risk', 'name', 'version', 'distance', 'review'] as const
export type ClusterSort = (typeof CLUSTER_SORTS)[number]
export const SET_SORTS = ['risk', 'name', 'machines', 'cluster'] as const
export type SetSort = (typeof SET_SORTS)[number]

/** What an action says of the limit: one on managed boot images may say so besides, in its first write; others say nothing of it. */
export const SKEW_WORD = `CASE a.kind WHEN 'managed' THEN a.wish->'skew'->>'action' WHEN 'skew' THEN a.action END`

/** It was written: whole, or in a first write that was not taken back; somebody may have written over it since. */
export const SKEW_WRITTEN = `(a.state = 'seen' OR (a.kind = 'managed' AND a.steps->0->>'state' = 'stored'
      AND NOT a.steps @> '[{"cancels": true, "state": "stored"}]'))`
/** And its first write is there still. */
const SKEW_STANDS = `(${SKEW_WRITTEN} AND (a.state = 'seen' OR a.steps->0->'gone' IS NULL))`

/**
 * Clusters where a machine never joined from an old image that a set still has, its own or another, or from one that is not the release's and that nothing dates, and none of that image has joined under the release: as
 * the worker judged it last, which says so when that changes. To judge here what is marked costs the list more than all the rest.
 */
export const NEVER_JOINED = `SELECT DISTINCT k.cluster_id FROM node_image k JOIN openshift_cluster x ON x.cluster_id = k.cluster_id
  JOIN boot_image_set s ON s.cluster_id = k.cluster_id AND s.current = k.boot_image AND s.state <> 'current'
  WHERE k.name <> '' AND k.stuck > 0 AND (k.verdict IN ('below', 'outdated') OR k.verdict = 'unknown' AND k.dated IS NULL AND s.state = 'outdated') AND NOT EXISTS (SELECT 1 FROM machine m WHERE m.cluster_id = k.cluster_id
    AND m.boot_image = k.boot_image AND m.node IS NOT NULL AND m.created_at >= (x.evidence->>'completedAt')::timestamptz)`

/**
 * OpenShift clusters, `c` with `o` for what is known of their boot images, and `w` for the word that stands: the newest acknowledgement
 * or opting out, where the cluster still is as it says and was not otherwise since; `never` where machines never joined. One of which nothing is known yet is
 * among them, and unknown.
 */
export const CLUSTERS = `management_cluster c
  LEFT JOIN openshift_cluster o ON o.cluster_id = c.id
  LEFT JOIN (
    SELECT DISTINCT ON (a.cluster_id) a.cluster_id, a.id, ${SKEW_WORD} AS action, a.version, a.review_at, a.review_told_at, a.actor_name, a.reason,
      a.lost_at
    FROM skew_action a
    WHERE ${SKEW_STANDS}
      AND ${SKEW_WORD} IN ('acknowledge', 'opt-out', 'automatic') ORDER BY a.cluster_id, a.recorded_at DESC
  ) w ON w.cluster_id = c.id AND o.spec_skew IS NOT NULL AND w.lost_at IS NULL AND (
    (w.action = 'acknowledge' AND o.mode = 'Manual' AND w.version = coalesce(o.recorded_ocp, o.recorded_rhcos))
    OR (w.action = 'opt-out' AND o.mode = 'None'))
  LEFT JOIN (${NEVER_JOINED}) never ON never.cluster_id = c.id`
export const IS_OPENSHIFT = `(o.cluster_id IS NOT NULL
  OR (c.state <> 'disconnected' AND jsonb_typeof(c.discovery->'openshift') = 'object'))`
/** Boot images keep its updates closed: as Drydock judges, or where it cannot, by the operator's word. */
export const CLOSES = `(o.verdict IN ('out-of-skew', 'update-failing') OR o.verdict = 'unknown' AND o.blocks IS NOT NULL)`
/** Nobody knows whether they do; of an operator that compares nothing it is known. */
export const NOT_KNOWN_CLOSED = `(o.cluster_id IS NULL OR o.verdict = 'unknown' AND NOT ${CLOSES} AND o.sentence NOT LIKE '%Boot images keep nothing closed.')`
/** The operator's last pass failed or stands still, and that is not what keeps updates closed. */
export const FAILS_BESIDES = `(o.pass_failed IS NOT NULL AND o.verdict <> 'update-failing' OR o.pass_stuck IS NOT NULL)`
/** As riskScore has it for the verdict unknown and a risk that is not known. */
const UNKNOWN_RISK = 53_000

/** Whether new machines may fail to join: by their images, and by those that did. */
export const NODE_RISK = `CASE WHEN never.cluster_id IS NOT NULL THEN 'likely' ELSE coalesce(o.node_risk, 'unknown') END`
export const NODE_RISK_WHY = `CASE WHEN o.node_risk IS DISTINCT FROM 'likely' AND never.cluster_id IS NOT NULL
  THEN 'A machine never joined that started from an image which a machine set still has, and which is not that of the release: so may the next one.'
  ELSE o.node_risk_why END`

/** As riskScore has it with that: what a machine that never joined adds is not in what the worker wrote. */
export const RISK = `CASE WHEN never.cluster_id IS NULL OR o.node_risk = 'likely' THEN coalesce(o.risk, ${UNKNOWN_RISK})
  ELSE o.risk % 1000 + CASE WHEN o.risk >= ${CLOSES_FROM} THEN o.risk / 10000 * 10000 + ${LIKELY} ELSE ${LIKELY_AND_OPEN} END END`

const REVIEW = `CASE WHEN w.id IS NULL THEN 'nothing' WHEN w.review_at IS NULL THEN 'none' WHEN w.review_at <= now() THEN 'due' ELSE 'dated' END`
const UPDATES = `CASE o.update_open WHEN true THEN 'open' WHEN false THEN 'closed' END`
export const CLUSTER_FACETS = {
  verdict: `coalesce(o.verdict, 'unknown')`,
  mode: `lower(coalesce(o.mode, 'unavailable'))`,
  platform: `coalesce(o.platform, 'unknown')`,
  version: `coalesce(substring(o.version from '^[0-9]+\\.[0-9]+'), 'unknown')`,
  nodes: NODE_RISK,
  managed: `coalesce(o.managed_mode, 'not-told')`,
  review: REVIEW,
} as const

/** Machine sets, `s`, of clusters `c` with `o`. */
export const SETS = `boot_image_set s JOIN management_cluster c ON c.id = s.cluster_id
  LEFT JOIN openshift_cluster o ON o.cluster_id = s.cluster_id`
const KIND = `CASE s.kind WHEN 'MachineSet' THEN 'workers' ELSE 'control-plane' END`
export const SET_FACETS = {
  state: 's.told',
  // What it would do with a set that it does not manage is no fact of the set.
  outcome: `CASE WHEN s.managed THEN s.outcome ELSE 'not-managed' END`,
  managed: `CASE WHEN s.managed THEN 'yes' ELSE 'no' END`,
  platform: `coalesce(o.platform, 'unknown')`,
  arch: `coalesce(s.arch, 'unknown')`,
  kind: KIND,
} as const
/** A set that fails, then what is below the floor, the old, the unknown, one's own, the excluded, the newer, the current. */
const SET_RISK = `(CASE WHEN s.outcome IN ('error', 'crash') THEN 70 WHEN s.told = 'below' THEN 60 WHEN s.told = 'outdated' THEN 50
  WHEN s.told = 'unknown' THEN 40 WHEN s.told = 'custom' THEN 30 WHEN s.told = 'excluded' THEN 20 WHEN s.told = 'newer' THEN 12 ELSE 10 END
  + CASE WHEN s.managed OR s.told = 'current' THEN 0 ELSE 5 END)`

export type Words = (values: string[], bind: Bind) => string
export const among =
  (sql: string): Words =>
  (values, bind) =>
    `lower(${sql}) = ANY(${bind(values.map((v) => v.toLowerCase()))})`
export const whether =
  (sql: string): Words =>
  (values, bind) =>
    `(${sql}) = ${bind(values.some((v) => v.toLowerCase() === 'yes'))}::boolean`

const CLUSTER_TERMS: Record<string, Words> = {
  ...Object.fromEntries(Object.entries(CLUSTER_FACETS).map(([key, sql]) => [key, among(sql)])),
  cluster: (values, bind) => `c.name = ANY(${bind(values)})`,
  sure: among(`coalesce(o.confidence, 'unknown')`),
  updates: among(UPDATES),
  flagged: whether('o.flagged_why IS NOT NULL'),
  failing: whether('coalesce(o.pass_failed, o.pass_stuck) IS NOT NULL'),
  sets: (values, bind) =>
    `EXISTS (SELECT 1 FROM boot_image_set x WHERE x.cluster_id = c.id AND x.told = ANY(${bind(values.map((v) => v.toLowerCase()))}))`,
}
const SET_TERMS: Record<string, Words> = {
  ...Object.fromEntries(Object.entries(SET_FACETS).map(([key, sql]) => [key, among(sql)])),
  cluster: (values, bind) => `c.name = ANY(${bind(values)})`,
  image: (values, bind) =>
    `(lower(coalesce(s.current, '')) LIKE ANY(${bind(values.map(pattern))}) OR lower(coalesce(s.wanted, '')) LIKE ANY(${bind(values.map(pattern))}))`,
  dated: whether('s.dated IS NOT NULL'),
  marketplace: whether('s.marketplace'),
  error: whether('s.error IS NOT NULL'),
}

/** `o`: what has the cluster's version_key. */
export function whereOf(
  query: BootImageQuery<string>,
  bind: Bind,
  terms: Record<string, Words>,
  text: string[],
  o = 'o',
): string {
  const parts: string[] = []
  if (query.cluster) parts.push(`c.name = ${bind(query.cluster)}`)
  for (const { key, not, operator, values } of query.terms) {
    const sql =
      key === 'version'
        ? versionSql(`${o}.version_key`, operator, values, bind)
        : (terms[key]?.(values, bind) ?? 'true')
    parts.push(not ? `NOT coalesce(${sql}, false)` : sql)
  }
  for (const word of query.words) {
    const p = bind(pattern(word))
    parts.push(`(${text.map((column) => `lower(${column}) LIKE ${p}`).join(' OR ')})`)
  }
  return parts.map((part) => ` AND ${part}`).join('')
}

/** To be put behind another condition: each begins with AND. Values are only ever parameters. */
export const clustersWhere = (query: BootImageQuery<ClusterSort>, bind: Bind): string =>
  whereOf(query, bind, CLUSTER_TERMS, [
    ...['c.name', `coalesce(o.infrastructure_name, '')`, `coalesce(o.version, '')`, `coalesce(o.sentence, '')`],
  ])
export const setsWhere = (query: BootImageQuery<SetSort>, bind: Bind): string =>
  whereOf(query, bind, SET_TERMS, ['s.name', 'c.name', `coalesce(s.current, '')`, 's.reason'])

export interface SortKey {
  sql: string
  type: string
  /** What stands for a value that is not there, so that it comes last whichever way the key goes: ascending, and descending. */
  none?: [ascending: string, descending: string]
}
export const TIMES_LAST: Required<SortKey>['none'] = [`'infinity'::timestamptz`, `'-infinity'::timestamptz`]
export const CLUSTER_ORDER: Record<ClusterSort, SortKey> = {
  risk: { sql: RISK, type: 'int' },
  name: { sql: 'c.name', type: 'text' },
  // Keys of versions are digits.
  version: { sql: 'o.version_key', type: 'text', none: [`'z'`, `''`] },
  distance: { sql: 'o.distance', type: 'int', none: ['1000000', '-1000000'] },
  review: { sql: 'w.review_at', type: 'timestamptz', none: TIMES_LAST },
}
export const SET_ORDER: Record<SetSort, SortKey> = {
  risk: { sql: SET_RISK, type: 'int' },
  name: { sql: 's.name', type: 'text' },
  machines: { sql: 's.replicas', type: 'int' },
  cluster: { sql: 'c.name', type: 'text' },
}

/**
 * By the key, then by name, whichever way the key goes: an order without ties, so that a page ends somewhere. `again` is the same
 * order over the columns k, name and id of what was found by it.
 */
export function ordered(
  { sql: value, type, none }: SortKey,
  [name, id]: [string, string],
  { descending, after }: Pick<BootImageQuery<string>, 'descending' | 'after'>,
  bind: Bind,
): { order: string; again: string; place: string; key: string } {
  const direction = descending ? 'DESC' : 'ASC'
  const sql = none ? `coalesce(${value}, ${none[descending ? 1 : 0]})` : value
  const order = `${sql} ${direction}, ${name}, ${id}`
  const again = `k ${direction}, name, id`
  const key = `${sql} AS k`
  if (!after) return { order, again, key, place: '' }
  const at = `${bind(after.key)}::${type}`
  const beyond = `(${name}, ${id}) > (${bind(after.name)}, ${bind(after.id)}::uuid)`
  return { order, again, key, place: ` AND (${sql} ${descending ? '<' : '>'} ${at} OR (${sql} = ${at} AND ${beyond}))` }
}
