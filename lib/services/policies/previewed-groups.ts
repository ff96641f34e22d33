import { setImmediate } from 'node:timers/promises'
import type { Tx } from '@/lib/db/client'
import {
  couldNotRoll,
  effective,
  matcher,
  resolveFitting,
  RULES,
  type Fitting,
  type Idle,
  type Policy,
  type PolicyGroup,
  type Resolved,
  type Rules,
} from '@/lib/domain/policies'
import { identities } from './rules-for'

export interface PreviewedGroup {
  id: string
  cluster: string
  workloadCluster: string
  namespace: string
  kind: string
  name: string
  machines: number
  /** What holds for it: what means nothing for it is as where no policy says it, and stands in `idle`. */
  now: Resolved
  then: Resolved
  /** Rules that would be others, and whether the times would. */
  changes: Said[]
  idle: Idle[]
  /** With what would be written to it no machine could ever move. */
  neither: boolean
}

export type Said = keyof Rules | 'windows' | 'freezes' | 'waves'

/** A group for which the policy that is being written is, or was. */
export interface Touched {
  /** It is. */
  is: boolean
  identity: PolicyGroup & { id: string }
  then: Resolved
  /** Of this policy alone; null: it is no longer for it. */
  own: Resolved | null
  shown: PreviewedGroup
}

const CHUNK = 500
const NO_LABELS = {}

export async function groupsTouched(tx: Tx, before: readonly Policy[], draft: Policy): Promise<Touched[]> {
  const rows = await tx.group.findMany({
    where: { kind: { in: ['MachineDeployment', 'KubeadmControlPlane'] } },
    orderBy: [{ workloadCluster: 'asc' }, { name: 'asc' }, { id: 'asc' }],
    select: {
      ...{ id: true, clusterId: true, kind: true, namespace: true, name: true, workloadCluster: true },
      ...{ replicas: true, strategy: true, maxSurge: true, maxUnavailable: true },
    },
  })
  const groups = await identities(
    tx,
    rows.map(({ kind, name, ...row }) => ({ ...row, groupKind: kind, groupName: name })),
  )
  const matchers = before.map((policy) => ({ policy, of: matcher(policy.spec.select) }))
  const drafted = matcher(draft.spec.select)
  const touched: Touched[] = []
  for (const [i, row] of rows.entries()) {
    // Others have their turn: there may be tens of thousands.
    if (i % CHUNK === CHUNK - 1) await setImmediate()
    const group = { ...groups[i]!, labels: groups[i]!.labels ?? NO_LABELS }
    const parts = drafted(group)
    const fitting = matchers.flatMap(({ policy, of }): Fitting[] => {
      const found = of(group)
      return found ? [{ policy, parts: found }] : []
    })
    // Also what it is no longer for.
    if (!parts && !fitting.some(({ policy }) => policy.id === draft.id)) continue
    const others = fitting.filter(({ policy }) => policy.id !== draft.id)
    const mine = parts ? [{ policy: draft, parts }] : []
    const [now, then] = [effective(resolveFitting(fitting), row), effective(resolveFitting([...others, ...mine]), row)]
    const { cluster, workloadCluster, namespace, kind, name } = group
    touched.push({
      ...{ is: parts !== null, identity: { ...group, id: row.id }, then: then.rules },
      own: parts && resolveFitting(mine),
      shown: {
        ...{ id: row.id, cluster, workloadCluster, namespace, kind, name, machines: row.replicas },
        ...{ now: now.rules, then: then.rules, idle: then.idle },
        changes: changesIn(now.rules, then.rules),
        neither: couldNotRoll(then.rules, row),
      },
    })
  }
  return touched
}

const changesIn = (now: Resolved, then: Resolved): Said[] => [
  ...RULES.filter((rule) => now[rule].value !== then[rule].value),
  ...(['windows', 'freezes'] as const).filter((what) => valuesOf(now[what]) !== valuesOf(then[what])),
  ...(JSON.stringify(now.waves?.value) === JSON.stringify(then.waves?.value) ? [] : (['waves'] as const)),
]

const valuesOf = (told: Resolved['windows']): string => JSON.stringify(told.map(({ value }) => value))
