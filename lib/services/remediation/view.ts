import { db, pool } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import {
  acts,
  fateWords,
  fits,
  LEVELS,
  risksOf,
  type HealthCheckSpec,
  type Level,
  type Risk,
} from '@/lib/domain/health-checks'
import { versionKey } from '@/lib/domain/version'
import { OVER, type ChangeDto } from '../changes/change-row'
import { measured } from '../forecast/durations'
import { cannotSkip } from './may-patch'

/** A MachineHealthCheck that is over machines of the change. */
export interface CheckView {
  name: string
  /** How many of the group's machines. */
  machines: number
  risks: Risk[]
  level: Level
  /** Why it has nothing remediated whatever happens; null: it may. */
  idle: 'paused' | 'limit' | 'single' | null
  external: string | null
  startupSeconds: number | null
}

export interface RemediationView {
  checks: CheckView[]
  /** What the check of time-outs rests on: updates that were measured, where, and how long they took. */
  updates: { measured: number; from: 'group' | 'cluster' | 'guess'; longest: number }
  /** Found ill by now, and what becomes of it. */
  ill: { name: string; words: string; fate: string }[]
  /** Who has remediation skipped. */
  skips: { by: string; at: string; now: number; refused: string | null } | null
  /** Machines that somebody else has skipped: of those that would be updated. */
  others: number
  /** Why Drydock cannot; null: it can. */
  cannot: string | null
}

interface Kinds {
  labels: Record<string, string> | null
  machines: number
  others: number
}

const GROUP = `m.cluster_id = $1 AND m.group_kind = $2 AND m.namespace = $3 AND m.group_name = $4 AND m.workload_cluster = $5`
/** As many rows as there are sets of labels: mostly one for each revision. */
const KINDS = `SELECT m.labels, count(*)::int AS machines,
  count(*) FILTER (WHERE m.skip_remediation AND m.skip_mark IS NULL)::int AS others
FROM machine m WHERE ${GROUP} AND NOT m.deleting GROUP BY m.labels`

/** What MachineHealthChecks have to do with a change that is, or may be, done in place; null: it is over, or goes otherwise. */
export async function remediationOf(change: ChangeDto): Promise<RemediationView | null> {
  if (OVER.includes(change.state)) return null
  const { clusterId, groupId, groupKind, groupName, namespace, workloadCluster, decision, outlook } = change
  const mode = decision && !['voided', 'failed'].includes(decision.state) ? decision.mode : change.dueMode
  if (mode === 'replace' || (mode !== 'in-place' && outlook.inPlace === null && change.skips === null)) return null
  const key = [clusterId, groupKind, namespace, groupName, workloadCluster]
  const [checks, kinds, group, cluster, took, ill, skipped] = await Promise.all([
    db().healthCheck.findMany({ where: { clusterId, namespace, workloadCluster }, orderBy: { name: 'asc' } }),
    pool().query<Kinds>(KINDS, key),
    db().group.findUnique({ where: { id: groupId } }),
    db().managementCluster.findUnique({ where: { id: clusterId }, select: { discovery: true } }),
    measured({ clusterId, groupId, groupKind, version: change.toVersion !== null }),
    db().machine.findMany({
      where: { clusterId, groupKind, namespace, groupName, workloadCluster, checkFailedSince: { not: null } },
      orderBy: { name: 'asc' },
      take: 50,
    }),
    db().machine.count({ where: { clusterId, skipMark: change.id } }),
  ])
  const all = kinds.rows.reduce((sum, { machines }) => sum + machines, 0)
  const updates = { ms: took.durations.update, measured: took.basis.update.machines }
  const moving = movingOf(groupKind, group?.maxUnavailable ?? null, all)
  const over = checks.flatMap((row): CheckView[] => {
    const spec = row.spec as unknown as HealthCheckSpec
    const machines = kinds.rows
      .filter(({ labels }) => fits(spec.selector, labels ?? {}))
      .reduce((n, k) => n + k.machines, 0)
    if (machines === 0) return []
    const risks = risksOf(spec, updates)
    const targets = row.targets ?? machines
    const healthy = row.healthy ?? targets
    const limited = !acts(spec.limit, { targets, ill: Math.max(0, targets - healthy), moving })
    // KubeadmControlPlane remediates no machine where there is only one (remediation.go).
    const single = groupKind === 'KubeadmControlPlane' && all <= 1 && spec.external === null
    return [
      {
        ...{ name: row.name, machines, risks, external: spec.external, startupSeconds: spec.startupSeconds },
        level: risks[0]?.level ?? LEVELS[0],
        idle: row.paused ? 'paused' : limited ? 'limit' : single ? 'single' : null,
      },
    ]
  })
  const external = over.find((check) => check.external)?.external ?? null
  const about = {
    held: group?.held !== null && group?.held !== undefined,
    external,
    deletesInstead: since114((cluster?.discovery as unknown as Capabilities | null)?.clusterApi?.version ?? null),
  }
  return {
    checks: over,
    updates: { measured: updates.measured, from: took.basis.update.from, longest: Math.max(...updates.ms) },
    ill: ill.map(
      ({ name, checkWords, remediationReason: reason, remediationWords: words, deleting, skipRemediation }) => ({
        ...{ name, words: checkWords ?? '' },
        fate: fateWords({ kind: groupKind, reason, words, deleting, skipped: skipRemediation }, about),
      }),
    ),
    skips: change.skips && { ...change.skips, now: skipped },
    others: kinds.rows.reduce((sum, kind) => sum + kind.others, 0),
    cannot: cannotSkip(cluster?.discovery),
  }
}

/** How many machines may be away at once because they are updated in place. */
function movingOf(kind: string, maxUnavailable: string | null, machines: number): number {
  if (kind !== 'MachineDeployment' || maxUnavailable === null) return 1
  const n = parseInt(maxUnavailable, 10) || 0
  return Math.max(1, maxUnavailable.endsWith('%') ? Math.floor((n * machines) / 100) : n)
}

/** Since v1.14 a machine that is to be remediated is deleted instead of moved (machineset_controller.go, startMoveMachines). */
function since114(version: string | null): boolean | null {
  const key = versionKey(version)
  return key === null ? null : key >= versionKey('v1.14.0')!
}
