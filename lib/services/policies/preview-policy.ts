import { setImmediate } from 'node:timers/promises'
import { db } from '@/lib/db/client'
import { matcher, resolveFitting, type Fitting, type Policy, type Resolved, type Rules } from '@/lib/domain/policies'
import { parseInput, requirePermission, type Ctx } from '../context'
import { readPolicies } from './read-policies'
import { identities } from './rules-for'
import { PreviewPolicyInput } from './schemas'

export interface PreviewedGroup {
  id: string
  cluster: string
  workloadCluster: string
  namespace: string
  kind: string
  name: string
  machines: number
  now: Resolved
  then: Resolved
  /** Rules that would be others. */
  changes: (keyof Rules)[]
}

export interface PolicyPreview {
  /** Groups that the policy is for, and how many of them get another rule. */
  matching: number
  changing: number
  machines: number
  /** Those that change first, then by name. */
  groups: PreviewedGroup[]
}

const MOST = 50
const CHUNK = 500
const NO_LABELS = {}
/** Stands for the one that is being written. */
const DRAFT = '00000000-0000-4000-8000-000000000000'

/** Which groups a policy that is being written is for, with what holds for each now and what would. */
export async function previewPolicy(ctx: Ctx, input: unknown): Promise<PolicyPreview> {
  requirePermission(ctx, 'fleet:read')
  const { policyId, name, spec } = parseInput(PreviewPolicyInput, input)
  const before = await readPolicies(db(), policyId)
  const draft: Policy = { id: policyId ?? DRAFT, name: name || 'this policy', version: 0, spec }
  const rows = await db().group.findMany({
    where: { kind: { in: ['MachineDeployment', 'KubeadmControlPlane'] } },
    orderBy: [{ workloadCluster: 'asc' }, { name: 'asc' }, { id: 'asc' }],
    select: {
      ...{ id: true, clusterId: true, kind: true, namespace: true, name: true },
      ...{ workloadCluster: true, replicas: true },
    },
  })
  const groups = await identities(
    db(),
    rows.map(({ kind, name: groupName, ...row }) => ({ ...row, groupKind: kind, groupName })),
  )
  const matchers = before.map((policy) => ({ policy, of: matcher(policy.spec.select) }))
  const drafted = matcher(spec.select)
  const touched: (PreviewedGroup & { is: boolean })[] = []
  for (const [i, row] of rows.entries()) {
    // Others have their turn: there may be tens of thousands.
    if (i % CHUNK === CHUNK - 1) await setImmediate()
    const group = { ...groups[i]!, labels: groups[i]!.labels ?? NO_LABELS }
    const parts = drafted(group)
    const is = parts !== null
    const fitting = matchers.flatMap(({ policy, of }): Fitting[] => {
      const found = of(group)
      return found ? [{ policy, parts: found }] : []
    })
    // Also what it is no longer for.
    if (!is && !fitting.some(({ policy }) => policy.id === policyId)) continue
    const others = fitting.filter(({ policy }) => policy.id !== policyId)
    const now = resolveFitting(fitting)
    const then = resolveFitting(parts ? [...others, { policy: draft, parts }] : others)
    const changes = (Object.keys(now) as (keyof Rules)[]).filter((rule) => now[rule].value !== then[rule].value)
    const { cluster, workloadCluster, namespace, kind, name: groupName } = group
    const identity = { id: row.id, cluster, workloadCluster, namespace, kind, name: groupName }
    touched.push({ ...identity, is, machines: row.replicas, now, then, changes })
  }
  const matching = touched.filter(({ is }) => is)
  const changing = touched.filter(({ changes }) => changes.length > 0)
  const shown = [...changing, ...touched.filter(({ changes }) => changes.length === 0)].slice(0, MOST)
  return {
    matching: matching.length,
    changing: changing.length,
    machines: matching.reduce((sum, { machines }) => sum + machines, 0),
    groups: shown.map(({ is: _, ...group }) => group),
  }
}
