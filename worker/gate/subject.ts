import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { batched } from '@/lib/db/batched'
import { gatePool } from '@/lib/db/client'
import type { Group } from '@/lib/db/generated/client'
import type { Question } from '@/lib/domain/changes'
import { byQuestion } from './by-question'
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
function labelFor(name: string): string {
  if (name.length < 64) return name
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(hash)
  return `hash_${bytes.toString('base64url')}_z`
}

type Found = Pick<Group, 'id' | 'name' | 'workloadCluster'>
type Named = [clusterId: string, kind: string, namespace: string, name: string]

const FOUND = 'g.id, g.name, g.workload_cluster AS "workloadCluster"'
/** Named: Postgres plans it once per connection. */
const GROUPS = {
  name: 'gate groups',
  text: `SELECT asked.n, ${FOUND} FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
      WITH ORDINALITY AS asked (cluster_id, kind, namespace, name, n)
    JOIN machine_group g USING (cluster_id, kind, namespace, name)`,
}

const groupNamed = batched<Named, Found[]>(async (asked) => {
  const values = [0, 1, 2, 3].map((i) => asked.map((named) => named[i]))
  const { rows } = await gatePool().query<Found & { n: string }>({ ...GROUPS, values })
  return byQuestion(asked, rows)
})

const ALL = `SELECT ${FOUND} FROM machine_group g WHERE g.cluster_id = $1 AND g.kind = $2 AND g.namespace = $3`

/** Those that a label may mean: a long name is in it as a hash. */
async function groupsOf(clusterId: string, kind: string, namespace: string, label: string): Promise<Found[]> {
  if (!label.startsWith('hash_')) return groupNamed([clusterId, kind, namespace, label])
  return (await gatePool().query<Found>(ALL, [clusterId, kind, namespace])).rows
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
  // Neither is a name, and no database takes it.
  if (`${namespace}${label}`.includes('\0')) throw new Hold('the request names no object with labels')
  const rows = await groupsOf(clusterId, kind, namespace, label)
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
