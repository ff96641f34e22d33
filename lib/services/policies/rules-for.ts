import type { Tx } from '@/lib/db/client'
import {
  fitter,
  resolveFitting,
  timesFitting,
  type Fitting,
  type Policy,
  type PolicyGroup,
  type PolicySpec,
  type Resolved,
  type Times,
} from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { readPolicies } from './read-policies'

/** What of a change, or of a group, decides which policies are for it. */
export interface Governed {
  clusterId: string
  groupKind: string
  namespace: string
  groupName: string
  workloadCluster: string
}

/** The rules that hold for one group now. Throws where they cannot be known. */
export async function rulesFor(tx: Tx, group: Governed): Promise<Resolved> {
  const [rules] = await rulesForAll(tx, [group])
  if (rules instanceof ServiceError) throw rules
  return rules!
}

/** The same for many, with one look at policies, clusters and labels; of each, why its rules cannot be known. */
export async function rulesForAll(tx: Tx, groups: readonly Governed[]): Promise<(Resolved | ServiceError)[]> {
  if (groups.length === 0) return []
  return rulesBy(await readPolicies(tx), await identities(tx, groups))
}

/** The same by policies that are given: those that are there, or those that would be. */
export const rulesBy = (policies: readonly Policy[], groups: readonly Identity[]): (Resolved | ServiceError)[] =>
  eachBy(policies, groups, resolveFitting)

/** Of these rules of a group those that say when: the gate asks for nothing else, and for every question. */
export const timesBy = (policies: readonly Policy[], group: Identity): Times | ServiceError =>
  eachBy(policies, [group], timesFitting)[0]!

function eachBy<R>(
  policies: readonly Policy[],
  groups: readonly Identity[],
  resolved: (fitting: readonly Fitting[], kind: string) => R,
): (R | ServiceError)[] {
  const byLabels = policies.some(({ spec }) => Object.keys(spec.select.labels ?? {}).length > 0)
  const fitting = fitter(policies)
  return groups.map(({ labels, ...group }) => {
    // A group must not slip out of its policy.
    if (byLabels && !labels) return unknownLabels(group.workloadCluster)
    const identity = { ...group, labels: labels ?? NO_LABELS }
    return resolved(fitting(identity), group.kind)
  })
}
const NO_LABELS = {}

/** Whether any policy says one of these: where none does, nothing has to be looked at. What cannot be read may say anything. */
export async function anyPolicySays(tx: Tx, ...what: (keyof PolicySpec)[]): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM rollout_policy WHERE jsonb_typeof(spec) <> 'object' OR spec ?| ${what} LIMIT 1`
  return rows.length > 0
}

/** Whether any policy asks for no approval at all. What cannot be read may. */
export async function anyPolicyAsksNobody(tx: Tx): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM rollout_policy WHERE jsonb_typeof(spec) <> 'object' OR spec->'approvals' = '0' LIMIT 1`
  return rows.length > 0
}

const unknownLabels = (workloadCluster: string): ServiceError =>
  new ServiceError('unavailable', `The labels of workload cluster ${workloadCluster} are not known yet.`, {
    hint: 'Policies go by them: nothing is decided before the cluster has been read. Wait a moment, then try again.',
  })

/** A group as policies see it; the labels are null where they are not known. */
export type Identity = Omit<PolicyGroup, 'labels'> & { labels: PolicyGroup['labels'] | null }

export async function identities(tx: Tx, groups: readonly Governed[]): Promise<Identity[]> {
  const clusterIds = [...new Set(groups.map(({ clusterId }) => clusterId))]
  const names = [...new Set(groups.map(({ workloadCluster }) => workloadCluster))]
  const clusters = await tx.managementCluster.findMany({
    where: { id: { in: clusterIds } },
    select: { id: true, name: true },
  })
  const workloads = await tx.workloadCluster.findMany({
    where: { clusterId: { in: clusterIds }, ...(names.length <= MOST_NAMES ? { name: { in: names } } : {}) },
    select: { clusterId: true, namespace: true, name: true, labels: true },
  })
  const called = new Map(clusters.map(({ id, name }) => [id, name]))
  const labels = new Map(workloads.map((row) => [`${row.clusterId} ${row.namespace}/${row.name}`, row.labels]))
  return groups.map(({ clusterId, groupKind, namespace, groupName, workloadCluster }) => ({
    ...{ cluster: called.get(clusterId) ?? '', workloadCluster, namespace, kind: groupKind, name: groupName },
    labels: (labels.get(`${clusterId} ${namespace}/${workloadCluster}`) ?? null) as Record<string, string> | null,
  }))
}

/** More are not worth naming one by one. */
const MOST_NAMES = 500
