import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ChoicesInput } from './schemas'

export interface GroupChoice {
  id: string
  clusterId: string
  kind: string
  namespace: string
  name: string
  workloadCluster: string
  version: string | null
}

export interface PlanChoices {
  clusters: { id: string; name: string }[]
  /** At most 2,000; the one that was asked for is among them. */
  groups: GroupChoice[]
  chosen: GroupChoice | null
  cluster: string | null
}

const MOST = 2_000
const KINDS = { in: ['MachineDeployment', 'KubeadmControlPlane'] }

/** What a plan can be about: management clusters with Cluster API, and groups whose version can be changed. */
export async function planChoices(ctx: Ctx, input: unknown): Promise<PlanChoices> {
  requirePermission(ctx, 'changes:plan')
  const { groupId, cluster } = parseInput(ChoicesInput, input)
  const select = {
    ...{ id: true, clusterId: true, kind: true, namespace: true, name: true, workloadCluster: true, version: true },
  } as const
  const [all, groups, chosen] = await Promise.all([
    db().managementCluster.findMany({
      where: { state: { not: 'disconnected' } },
      select: { id: true, name: true, discovery: true },
      orderBy: { name: 'asc' },
    }),
    db().group.findMany({
      where: { kind: KINDS },
      select,
      orderBy: [{ workloadCluster: 'asc' }, { kind: 'asc' }, { name: 'asc' }],
      take: MOST,
    }),
    groupId ? db().group.findFirst({ where: { id: groupId, kind: KINDS }, select }) : null,
  ])
  const clusters = all
    .filter(({ discovery }) => (discovery as { clusterApi?: unknown } | null)?.clusterApi)
    .map(({ id, name }) => ({ id, name }))
  const missing = chosen && !groups.some((group) => group.id === chosen.id)
  return {
    clusters,
    groups: missing ? [chosen, ...groups] : groups,
    chosen,
    cluster: chosen?.clusterId ?? clusters.find(({ name }) => name === cluster)?.id ?? clusters[0]?.id ?? null,
  }
}
