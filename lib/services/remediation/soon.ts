import { db } from '@/lib/db/client'
import { amissBy, dueOf, fits, type Amiss, type Due, type HealthCheckSpec } from '@/lib/domain/health-checks'
import type { ChangeDto } from '../changes/change-row'
import type { CheckView } from './checks'

/** A machine that is not well now, and when which check finds it ill if it stays so. */
export interface Soon extends Due {
  name: string
  check: string
  /** It is being updated where it stands. */
  updating: boolean
}

type Of = Pick<ChangeDto, 'clusterId' | 'groupKind' | 'groupName' | 'namespace' | 'workloadCluster'>

/** As many are named; of a group of thousands the rest is counted. */
const MOST = 20

/** Of a change’s group, those that are due first come first, and how many come after them; neither what is found ill already, nor what is skipped. */
export async function soonOf(of: Of, checks: readonly CheckView[]): Promise<{ soon: Soon[]; soonMore: number }> {
  const acting = checks.filter(({ idle, risks }) => idle === null && risks.length > 0)
  if (acting.length === 0) return { soon: [], soonMore: 0 }
  const { clusterId, groupKind, groupName, namespace, workloadCluster } = of
  const where = { clusterId, namespace, workloadCluster }
  const [rows, machines] = await Promise.all([
    db().healthCheck.findMany({ where: { ...where, name: { in: acting.map(({ name }) => name) } } }),
    db().machine.findMany({
      where: {
        ...{ ...where, groupKind, groupName, deleting: false, skipRemediation: false, checkFailedSince: null },
        // Of thousands that are amiss otherwise, as not up to date, none is read.
        OR: acting.flatMap(({ risks }) =>
          risks.flatMap((risk) => amissBy(risk) ?? []).map((by) => ({ amiss: { array_contains: [{ ...by }] } })),
        ),
      },
      select: { name: true, labels: true, amiss: true, updating: true },
    }),
  ])
  const selectors = new Map(rows.map(({ name, spec }) => [name, (spec as unknown as HealthCheckSpec).selector]))
  const all = machines
    .flatMap(({ name, labels, amiss, updating }): Soon[] =>
      acting.flatMap((check): Soon[] => {
        const selector = selectors.get(check.name)
        if (!selector || !fits(selector, (labels ?? {}) as Record<string, string>)) return []
        const due = dueOf(check.risks, amiss as unknown as Amiss[])
        return due ? [{ name, check: check.name, updating, ...due }] : []
      }),
    )
    .sort((a, b) => a.at.localeCompare(b.at))
  return { soon: all.slice(0, MOST), soonMore: Math.max(0, all.length - MOST) }
}
