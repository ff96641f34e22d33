import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { gatePool } from '@/lib/db/client'
import type { Group } from '@/lib/db/generated/client'
import type { Question } from '@/lib/domain/changes'
import { Hold } from './constants'

export interface Subject {
  clusterId: string
  groupId: string
  kind: 'MachineDeployment' | 'KubeadmControlPlane'
  namespace: string
  name: string
  workloadCluster: string
  machine: string | null
}

const DEPLOYMENT = 'cluster.x-k8s.io/deployment-name'
const CONTROL_PLANE = 'cluster.x-k8s.io/control-plane-name'

/** Cluster API's label for a name that is too long for a label: FNV-1a, 32 bit, in base64. */
export function labelFor(name: string): string {
  if (name.length < 64) return name
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(hash)
  return `hash_${bytes.toString('base64url')}_z`
}

/** Named: Postgres plans it once per connection. */
const GROUPS = {
  name: 'gate groups',
  text: `SELECT id, name, workload_cluster AS "workloadCluster" FROM machine_group
    WHERE cluster_id = $1 AND kind = $2 AND namespace = $3 AND ($4::text IS NULL OR name = $4)`,
}

async function groupsOf(...values: [clusterId: string, kind: string, namespace: string, name: string | null]) {
  const { rows } = await gatePool().query<Pick<Group, 'id' | 'name' | 'workloadCluster'>>({ ...GROUPS, values })
  return rows
}

/** The group that a request is about. Requests name no uid: labels lead to the row, and its uid goes into the fingerprint. */
export async function subjectOf(
  clusterId: string,
  hook: Question | 'UpdateMachine',
  request: JsonObject,
): Promise<Subject> {
  const object = valueAt(request, 'desired', hook === 'CanUpdateMachineSet' ? 'machineSet' : 'machine')
  const metadata = isObject(object) ? object.metadata : undefined
  const labels = isObject(metadata) ? metadata.labels : undefined
  const namespace = isObject(metadata) ? metadata.namespace : undefined
  if (!isObject(metadata) || !isObject(labels) || typeof namespace !== 'string')
    throw new Hold('the request names no object with labels')
  const machine = hook === 'CanUpdateMachineSet' ? null : String(metadata.name)
  const [kind, label] =
    typeof labels[DEPLOYMENT] === 'string'
      ? (['MachineDeployment', labels[DEPLOYMENT]] as const)
      : (['KubeadmControlPlane', labels[CONTROL_PLANE]] as const)
  if (typeof label !== 'string')
    throw new Hold('the request belongs to no MachineDeployment and no control plane', { machine })
  const rows = await groupsOf(clusterId, kind, namespace, label.startsWith('hash_') ? null : label)
  const found = rows.find((row) => labelFor(row.name) === label)
  if (!found)
    throw new Hold(`Drydock has not yet seen ${kind} ${namespace}/${label}`, {
      group: `${namespace}/${label}`,
      machine,
    })
  return {
    clusterId,
    groupId: found.id,
    kind,
    namespace,
    name: found.name,
    workloadCluster: found.workloadCluster,
    machine,
  }
}
