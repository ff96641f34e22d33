import { among, TIMES_LAST, whether, whereOf, type BootImageQuery, type SortKey, type Words } from './boot-image-where'
import { NODE_IMAGES } from './node-image-judged'
import { pattern, type Bind } from './version-where'

export const NODE_SORTS = ['risk', 'name', 'machines', 'cluster', 'age'] as const
export type NodeSort = (typeof NODE_SORTS)[number]

export const NODES = `${NODE_IMAGES} n JOIN management_cluster c ON c.id = n.cluster_id`
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
    sql: `(CASE n.verdict WHEN 'below' THEN 60 WHEN 'outdated' THEN 50 WHEN 'unknown' THEN 40 WHEN 'newer' THEN 20 ELSE 10 END + CASE WHEN n.stuck > 0 THEN 100 ELSE 0 END)`,
    type: 'int',
  },
  name: { sql: 'n.name', type: 'text' },
  machines: { sql: 'greatest(n.machines, n.nodes)', type: 'int' },
  cluster: { sql: 'c.name', type: 'text' },
  // Nothing tells the age of nodes that no Machine stands for.
  age: { sql: 'n.oldest', type: 'timestamptz', none: TIMES_LAST },
}
