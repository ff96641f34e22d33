import { db, pool } from '@/lib/db/client'
import {
  acts,
  fits,
  LEVELS,
  risksOf,
  type HealthCheckSpec,
  type Level,
  type Risk,
  type Updates,
} from '@/lib/domain/health-checks'
import type { ChangeDto } from '../changes/change-row'

/** A MachineHealthCheck that is over machines of the change. */
export interface CheckView {
  name: string
  /** How many of the group's machines. */
  machines: number
  risks: Risk[]
  level: Level
  /** Why it has nothing remediated whatever happens; null: it may. */
  idle: 'paused' | 'limit' | 'single' | 'skipped' | null
  external: string | null
  /** How long a new machine may go without a node; null: for ever. */
  startupSeconds: number | null
}

type Of = Pick<ChangeDto, 'clusterId' | 'groupId' | 'groupKind' | 'groupName' | 'namespace' | 'workloadCluster'>

interface Kind {
  labels: Record<string, string> | null
  machines: number
  others: number
  ill: number
}

/** As many rows as there are sets of labels: mostly one for each revision. */
const KINDS = `SELECT m.labels, count(*)::int AS machines,
  count(*) FILTER (WHERE m.skip_remediation AND m.skip_mark IS NULL)::int AS others,
  count(*) FILTER (WHERE NOT m.ready)::int AS ill
FROM machine m WHERE m.cluster_id = $1 AND m.group_kind = $2 AND m.namespace = $3 AND m.group_name = $4
  AND m.workload_cluster = $5 AND NOT m.deleting GROUP BY m.labels`

/** The checks over machines of a change's group; and how many of its machines somebody else has skipped. */
export async function checksOf(of: Of, updates: Updates): Promise<{ checks: CheckView[]; others: number }> {
  const { clusterId, groupId, groupKind, groupName, namespace, workloadCluster } = of
  const [rows, { rows: kinds }, group, cluster] = await Promise.all([
    db().healthCheck.findMany({ where: { clusterId, namespace, workloadCluster }, orderBy: { name: 'asc' } }),
    pool().query<Kind>(KINDS, [clusterId, groupKind, namespace, groupName, workloadCluster]),
    db().group.findUnique({ where: { id: groupId }, select: { maxUnavailable: true } }),
    db().workloadCluster.findFirst({
      where: { clusterId, namespace, name: workloadCluster },
      select: { paused: true },
    }),
  ])
  const all = sum(kinds, 'machines')
  const moving = movingOf(groupKind, group?.maxUnavailable ?? null, all)
  const checks = rows.flatMap((row): CheckView[] => {
    const spec = row.spec as unknown as HealthCheckSpec
    const its = kinds.filter(({ labels }) => fits(spec.selector, labels ?? {}))
    const machines = sum(its, 'machines')
    if (machines === 0) return []
    const risks = risksOf(spec, updates)
    const targets = row.targets ?? machines
    // What is not Ready of the group itself may be ill because it is updated: then it is not to be counted twice.
    const ill = Math.max(0, targets - (row.healthy ?? targets))
    const others = Math.max(0, ill - sum(its, 'ill'))
    const idle = (): CheckView['idle'] => {
      if (row.paused || cluster?.paused) return 'paused'
      if (sum(its, 'others') === machines) return 'skipped'
      // A control plane remediates no machine where there is only one (kubeadmcontrolplane/remediation.go).
      if (groupKind === 'KubeadmControlPlane' && all <= 1 && spec.external === null) return 'single'
      return acts(spec.limit, { targets, ill, others, moving }) ? null : 'limit'
    }
    const { external, startupSeconds } = spec
    return [
      { name: row.name, machines, risks, level: risks[0]?.level ?? LEVELS[0], idle: idle(), external, startupSeconds },
    ]
  })
  return { checks, others: sum(kinds, 'others') }
}

const sum = (kinds: readonly Kind[], what: 'machines' | 'others' | 'ill'): number =>
  kinds.reduce((total, kind) => total + kind[what], 0)

/** How many machines may be away at once because they are updated in place. */
function movingOf(kind: string, maxUnavailable: string | null, machines: number): number {
  if (kind !== 'MachineDeployment' || maxUnavailable === null) return 1
  const n = parseInt(maxUnavailable, 10) || 0
  return Math.max(1, maxUnavailable.endsWith('%') ? Math.floor((n * machines) / 100) : n)
}
