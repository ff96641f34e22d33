import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { fits, type HealthCheckSpec } from '@/lib/domain/health-checks'

/** Machines without a node yet, and the health checks that may have such a one deleted: after how long. */
export interface ComingUp {
  machines: number
  checks: { name: string; seconds: number }[]
}

type Of = Pick<Change, 'clusterId' | 'groupKind' | 'groupName' | 'namespace' | 'workloadCluster'>

/** Of a group that is looked at before it is approved; null: there are none, or no check minds them. */
export async function comingUp(of: Of): Promise<ComingUp | null> {
  const { clusterId, groupKind, groupName, namespace, workloadCluster } = of
  const machines = await db().machine.findMany({
    where: {
      ...{ clusterId, groupKind, groupName, namespace, workloadCluster },
      ...{ node: null, deleting: false, skipRemediation: false },
    },
    select: { labels: true },
  })
  if (machines.length === 0) return null
  const rows = await db().healthCheck.findMany({
    where: { clusterId, namespace, workloadCluster, paused: false },
    orderBy: { name: 'asc' },
  })
  const checks = rows.flatMap(({ name, spec: stored }) => {
    const { startupSeconds, selector } = stored as unknown as HealthCheckSpec
    return startupSeconds === null || startupSeconds === undefined ? [] : [{ name, selector, seconds: startupSeconds }]
  })
  const labelsOf = (labels: unknown) => (labels ?? {}) as Record<string, string>
  const minded = machines.filter((m) => checks.some(({ selector }) => fits(selector, labelsOf(m.labels))))
  const minding = checks.filter(({ selector }) => minded.some((m) => fits(selector, labelsOf(m.labels))))
  if (minded.length === 0) return null
  return { machines: minded.length, checks: minding.map(({ name, seconds }) => ({ name, seconds })) }
}
