import { setImmediate } from 'node:timers/promises'
import type { Tx } from '@/lib/db/client'
import { GOVERNED_KINDS } from '@/lib/domain/latch/table'
import {
  couldNotRoll,
  effective,
  fitter,
  moreSpecific,
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

export interface Touched {
  identity: PolicyGroup & { id: string }
  /** The policies that would be for it, by id, and how closely. */
  by: ReadonlyMap<string, Fitting['parts']>
  shown: PreviewedGroup
}

const CHUNK = 500
const NO_LABELS = {}

/** Every group that policies may be for, with how it rolls, in their order; given to `look` one by one. */
async function eachGroup(
  tx: Tx,
  look: (group: PolicyGroup & { id: string }, row: Row & { kind: string; replicas: number }) => void,
): Promise<void> {
  const rows = await tx.group.findMany({
    where: { kind: { in: [...GOVERNED_KINDS] } },
    orderBy: [{ workloadCluster: 'asc' }, { name: 'asc' }, { id: 'asc' }],
    select: {
      ...{ id: true, clusterId: true, kind: true, namespace: true, name: true, workloadCluster: true },
      ...{ replicas: true, desiredReplicas: true, scaling: true, strategy: true, maxSurge: true, maxUnavailable: true },
    },
  })
  const groups = await identities(
    tx,
    rows.map(({ kind, name, ...row }) => ({ ...row, groupKind: kind, groupName: name })),
  )
  for (const [i, row] of rows.entries()) {
    // Others have their turn: there may be tens of thousands.
    if (i % CHUNK === CHUNK - 1) await setImmediate()
    // What it says of itself is old where it scales while it is held: its controller is paused.
    const replicas = row.scaling === null ? row.replicas : row.desiredReplicas
    look({ ...groups[i]!, labels: groups[i]!.labels ?? NO_LABELS, id: row.id }, { ...row, replicas })
  }
}

type Row = Parameters<typeof couldNotRoll>[1] & Parameters<typeof effective>[1]

/** Groups for which one of the policies that are being written is, or was, with all of them stored. */
export async function groupsTouched(tx: Tx, before: readonly Policy[], drafts: readonly Policy[]): Promise<Touched[]> {
  const [fitting, drafted] = [fitter(before), fitter(drafts)]
  const written = new Set(drafts.map(({ id }) => id))
  const touched: Touched[] = []
  await eachGroup(tx, (group, row) => {
    const [all, anew] = [fitting(group), drafted(group)]
    const others = all.filter(({ policy }) => !written.has(policy.id))
    // Also what they are no longer for.
    if (anew.length === 0 && others.length === all.length) return
    const by = [...others, ...anew]
    const rules = (fit: readonly Fitting[]) => effective(resolveFitting(fit, group.kind), row)
    const [now, then] = [rules(all), rules(by)]
    const { id, cluster, workloadCluster, namespace, kind, name } = group
    touched.push({
      identity: group,
      by: new Map(by.map(({ policy, parts }) => [policy.id, parts])),
      shown: {
        ...{ id, cluster, workloadCluster, namespace, kind, name, machines: row.replicas },
        ...{ now: now.rules, then: then.rules, idle: then.idle },
        changes: changesIn(now.rules, then.rules),
        neither: couldNotRoll(then.rules, row),
      },
    })
  })
  return touched
}

/** Whether two policies that are for it describe a group equally closely. */
export const areAsClose = ({ by }: Touched, one: string, other: string): boolean =>
  moreSpecific(by.get(one)!, by.get(other)!) === 0

const changesIn = (now: Resolved, then: Resolved): Said[] => [
  ...RULES.filter((rule) => JSON.stringify(now[rule].value) !== JSON.stringify(then[rule].value)),
  ...(['windows', 'freezes'] as const).filter((what) => valuesOf(now[what]) !== valuesOf(then[what])),
  ...(JSON.stringify(now.waves?.value) === JSON.stringify(then.waves?.value) ? [] : (['waves'] as const)),
]

const valuesOf = (told: Resolved['windows']): string => JSON.stringify(told.map(({ value }) => value))
