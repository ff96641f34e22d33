import { pool } from '../client'
import { FAILED_BEFORE } from './failed-before'

export interface GroupKey {
  clusterId: string
  kind: string
  namespace: string
  name: string
}

/** Machines of one kind: of the same revision (MachineSet, or the Machine itself in a control plane), in the same state. */
export interface MachineKind {
  source: string
  state: string | null
  error: boolean
  count: number
}

export interface GroupMachine {
  id: string
  name: string
  source: string
  node: string | null
  version: string | null
  state: string | null
  sentence: string | null
  error: string | null
}

const SOURCE = `CASE WHEN m.group_kind = 'MachineDeployment' THEN coalesce(m.machine_set, '') ELSE m.name END`
const STATE = `CASE WHEN ${FAILED_BEFORE} THEN 'not-ready' ELSE m.state END AS state`
const OF_GROUP = `FROM machine m WHERE m.cluster_id = $1 AND m.group_kind = $2 AND m.namespace = $3 AND m.group_name = $4`

const keyed = ({ clusterId, kind, namespace, name }: GroupKey): string[] => [clusterId, kind, namespace, name]

/** How many machines of each kind a group has: as many rows as there are kinds, not machines. */
export async function machineKinds(group: GroupKey): Promise<MachineKind[]> {
  const { rows } = await pool().query<MachineKind>(
    `SELECT ${SOURCE} AS source, ${STATE}, m.error IS NOT NULL AS error, count(*)::int AS count ${OF_GROUP} GROUP BY 1, 2, 3`,
    keyed(group),
  )
  return rows
}

/** The machines of a group in the order of its hull. */
export async function machinesOfGroup(group: GroupKey, most: number): Promise<GroupMachine[]> {
  const { rows } = await pool().query<GroupMachine>(
    `SELECT m.id, m.name, ${SOURCE} AS source, m.node, m.version, ${STATE}, m.sentence, m.error ${OF_GROUP}
     ORDER BY coalesce(m.failure_domain, ''), m.name LIMIT $5`,
    [...keyed(group), most],
  )
  return rows
}
