import { pool } from '../client'
import { ordered, type BootImageQuery } from './boot-image-where'
import { binding, facets, withoutKey, type Keyed } from './boot-images'
import { NODE_FACETS, NODE_ORDER, NODES, nodesWhere, type NodeSort } from './node-image-where'

export interface NodeImageListRow {
  id: string
  clusterId: string
  cluster: string
  platform: string | null
  version: string | null
  /** Machine set, "control plane", or nothing. */
  name: string
  controlPlane: boolean
  image: string | null
  /** "4.16.0", "RHCOS 418.94.202511191518-0"; null: nothing tells */
  dated: string | null
  datedSure: string | null
  /** The release's image for its set; null: not known. */
  wanted: string | null
  /** below | outdated | unknown | current */
  verdict: string
  /** 0: nodes that no Machine stands for. */
  machines: number
  nodes: number
  /** Machines that do not join. */
  stuck: number
  oldest: Date | null
  newest: Date | null
  sortKey: string
}

/** One page of what nodes started from, by cluster, machine set and image. */
export async function nodeImagePage(query: BootImageQuery<NodeSort>, limit: number): Promise<NodeImageListRow[]> {
  const values: unknown[] = []
  const bind = binding(values)
  const where = nodesWhere(query, bind)
  const { order, again, place, key } = ordered(NODE_ORDER[query.sort], ['n.name', 'n.id'], query, bind)
  const { rows } = await pool().query<Keyed<NodeImageListRow>>(
    `WITH page AS (
       SELECT n.id, n.cluster_id AS "clusterId", c.name AS cluster, n.platform, n.version, n.name, n.control_plane AS "controlPlane",
         n.boot_image AS image, n.dated, n.dated_sure AS "datedSure", n.wanted, n.verdict, n.machines, n.nodes, n.stuck, n.oldest, n.newest,
         ${key}
       FROM ${NODES} WHERE true${where}${place} ORDER BY ${order} LIMIT ${bind(limit)})
     SELECT page.*, k::text AS "sortKey" FROM page ORDER BY ${again}`,
    values,
  )
  return rows.map(withoutKey)
}

export type NodeFacet = keyof typeof NODE_FACETS

export const nodeImageFacets = (query: BootImageQuery<NodeSort>) =>
  facets(NODE_FACETS, (bind) => `${NODES} WHERE true${nodesWhere(query, bind)}`)
