import { FLOOR_NOW } from '@/lib/domain/skew/floors'
import { among, whether, whereOf, type BootImageQuery, type SortKey, type Words } from './boot-image-where'
import { knownBySets } from './joining'
import { pattern, type Bind } from './version-where'

export const NODE_SORTS = ['risk', 'name', 'machines', 'cluster', 'age'] as const
export type NodeSort = (typeof NODE_SORTS)[number]

/** Machines by the image that their spec names, which no controller changes afterwards; and nodes that no Machine stands for. */
const GROUPS = `SELECT m.cluster_id, m.machine_set, m.control_plane, m.boot_image, m.boot_image_version, count(*)::int AS machines,
    count(m.node)::int AS nodes, min(m.created_at) AS oldest, max(m.created_at) AS newest,
    count(*) FILTER (WHERE m.provisioned_since IS NOT NULL AND m.state = 'failed')::int AS stuck
  FROM machine m WHERE m.provider = 'machine.openshift.io' GROUP BY 1, 2, 3, 4, 5
  UNION ALL
  SELECT n.cluster_id, NULL, false, NULL, NULL, 0, count(*)::int, NULL, NULL, 0 FROM config_node n
  WHERE NOT EXISTS (SELECT 1 FROM machine m WHERE m.cluster_id = n.cluster_id AND m.node = n.name AND m.provider = 'machine.openshift.io')
  GROUP BY 1`

const THREE = `'^[0-9]+[.][0-9]+[.][0-9]+$'`
const numbers = (version: string): string => `string_to_array(${version}, '.')::bigint[]`
/** Of two versions of OpenShift only. */
const older = (dated: string, than: string): string =>
  `CASE WHEN ${dated} ~ ${THREE} AND ${than} ~ ${THREE} THEN ${numbers(dated)} < ${numbers(than)} END`

/**
 * Each with how old its image is and what that means, as lib/domain/joining has it: by its own name, by equality with what the release
 * wants, or by what a machine set tells of an image of that name.
 */
const JUDGED = `(SELECT g.*, coalesce(g.machine_set, CASE WHEN g.control_plane THEN 'control plane' ELSE '' END) AS name,
    md5(g.cluster_id || '/' || coalesce(g.machine_set, '') || '/' || (g.control_plane) || '/' || (g.machines = 0) || '/' || coalesce(g.boot_image, ''))::uuid AS id,
    o.platform, o.version, o.version_key, s.wanted, d.dated,
    CASE WHEN g.boot_image_version IS NOT NULL THEN 'certain' WHEN t.wanted THEN 'certain' WHEN t.dated IS NOT NULL THEN t.dated_sure END AS dated_sure,
    CASE WHEN boot_image_below(d.dated, coalesce(o.floor_ocp, '${FLOOR_NOW.ocp}'), coalesce(o.floor_rhel, '${FLOOR_NOW.rhel}')) THEN 'below'
      WHEN t.wanted THEN 'current'
      WHEN g.boot_image <> s.wanted AND s.state IN ('current', 'outdated') AND o.platform <> 'VSphere' THEN 'outdated'
      WHEN ${older('d.dated', `o.evidence->>'streamVersion'`)} THEN 'outdated' ELSE 'unknown' END AS verdict
  FROM (${GROUPS}) g
  LEFT JOIN openshift_cluster o ON o.cluster_id = g.cluster_id
  LEFT JOIN boot_image_set s ON s.cluster_id = g.cluster_id AND s.namespace = 'openshift-machine-api'
    AND s.kind = CASE WHEN g.machine_set IS NULL THEN 'ControlPlaneMachineSet' ELSE 'MachineSet' END
    AND s.name = coalesce(g.machine_set, CASE WHEN g.control_plane THEN 'cluster' END)
  ${knownBySets('g', 'o.platform')}
  CROSS JOIN LATERAL (SELECT coalesce(g.boot_image_version, CASE WHEN t.wanted THEN o.evidence->>'streamVersion' END, t.dated) AS dated) d)`

export const NODES = `${JUDGED} n JOIN management_cluster c ON c.id = n.cluster_id`
export const NODE_FACETS = {
  verdict: 'n.verdict',
  platform: `coalesce(n.platform, 'unknown')`,
  kind: `CASE WHEN n.control_plane THEN 'control-plane' WHEN n.machines = 0 THEN 'no-machine' ELSE 'workers' END`,
  stuck: `CASE WHEN n.stuck > 0 THEN 'yes' ELSE 'no' END`,
} as const

const TERMS: Record<string, Words> = {
  ...Object.fromEntries(Object.entries(NODE_FACETS).map(([key, sql]) => [key, among(sql)])),
  cluster: (values, bind) => `c.name = ANY(${bind(values)})`,
  set: (values, bind) => `lower(n.name) LIKE ANY(${bind(values.map(pattern))})`,
  image: (values, bind) => `lower(n.boot_image) LIKE ANY(${bind(values.map(pattern))})`,
  dated: whether('n.dated IS NOT NULL'),
}

export const nodesWhere = (query: BootImageQuery<NodeSort>, bind: Bind): string =>
  whereOf(query, bind, TERMS, ['n.name', 'c.name', `coalesce(n.boot_image, '')`, `coalesce(n.dated, '')`], 'n')

export const NODE_ORDER: Record<NodeSort, SortKey> = {
  risk: {
    sql: `(CASE n.verdict WHEN 'below' THEN 60 WHEN 'outdated' THEN 50 WHEN 'unknown' THEN 40 ELSE 10 END + CASE WHEN n.stuck > 0 THEN 100 ELSE 0 END)`,
    type: 'int',
  },
  name: { sql: 'n.name', type: 'text' },
  machines: { sql: 'greatest(n.machines, n.nodes)', type: 'int' },
  cluster: { sql: 'c.name', type: 'text' },
  // Nothing tells the age of nodes that no Machine stands for.
  age: { sql: `coalesce(n.oldest, 'infinity'::timestamptz)`, type: 'timestamptz' },
}
