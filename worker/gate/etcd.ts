import { setTimeout } from 'node:timers/promises'
import { gatePool } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { noneToSpare, planeHealth, type PlaneHealth, type PlaneMachine } from '@/lib/domain/control-plane'
import { Hold } from './constants'
import { machinesSeen } from './seen'
import type { Subject } from './subject'

/** Named: Postgres plans it once per connection. */
const MACHINES = {
  name: 'gate control plane',
  text: `SELECT g.etcd, m.name, m.node IS NOT NULL AS joined, m.deleting, m.plane AS said,
      ${machinesSeen('g.cluster_id', "now() - interval '2 minutes'")} AS seen
    FROM machine_group g LEFT JOIN machine m ON m.cluster_id = g.cluster_id AND m.namespace = g.namespace
      AND m.group_kind = g.kind AND m.group_name = g.name
    WHERE g.id = $1 AND g.cluster_id = $2 ORDER BY m.name`,
}

type Row = PlaneMachine & Pick<PlaneHealth, 'etcd'> & { seen: boolean }

/**
 * In the very pass in which it asks, also the first after a pause, the manager looks anew, writes what it found, and keeps its own
 * preflight by that (Cluster API, kubeadmcontrolplane_controller.go, reconcile): it is known in moments.
 */
const KNOWN_MS = 2_000

/** No machine of a control plane is next while its etcd has no member to spare, by what is known of it. */
export async function requireSpare(
  subject: Subject,
  { steps }: Pick<Change, 'steps'>,
  about: Hold['about'],
): Promise<void> {
  if (subject.kind !== 'KubeadmControlPlane') return
  for (const until = Date.now() + KNOWN_MS; ; await setTimeout(200)) {
    const why = await against(subject, steps !== null)
    if (why === null) return
    if (Date.now() >= until) throw new Hold(`${why}; it goes on by itself when that is over`, about)
  }
}

async function against({ clusterId, groupId, machine }: Subject, stepwise: boolean): Promise<string | null> {
  const { rows } = await gatePool().query<Row>({ ...MACHINES, values: [groupId, clusterId] })
  // A watch that is alive is heard about once a minute. Of an external etcd nothing is counted; what is through of a step is (step.ts, isDone).
  if (rows.some(({ etcd, seen }) => !seen && (stepwise || etcd !== 'external')))
    return 'what its machines say is not known now'
  const known = rows.filter(({ name }) => name !== null)
  if (!known.some(({ name }) => name === machine)) return `nothing is known of ${machine}`
  // As the manager itself asks: whether nodes are ready is not asked. And to deal with the one that is ill takes nothing away.
  const asked = known.map(({ said, ...row }) => ({ ...row, said: said && { ...said, node: 'ready' as const } }))
  return noneToSpare(planeHealth(rows[0]!.etcd, asked), machine)
}
