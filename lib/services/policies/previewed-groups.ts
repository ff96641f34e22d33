import { setImmediate } from 'node:timers/promises'
import type { Tx } from '@/lib/db/client'
import { GOVERNED_KINDS } from '@/lib/domain/latch/table'
import {
  couldNotRoll,
  effective,
  matcher,
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

/** A group for which the policy that is being written is, or was. */
export interface Touched {
  /** It is. */
  is: boolean
  identity: PolicyGroup & { id: string }
  then: Resolved
  /** The policies that describe it as closely as this one. */
  asClose: ReadonlySet<string>
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

/** Which of these policies are for a group, and how closely. */
function fits(policies: readonly Policy[]): (group: PolicyGroup) => Fitting[] {
  const matchers = policies.map((policy) => ({ policy, of: matcher(policy.spec.select) }))
  return (group) =>
    matchers.flatMap(({ policy, of }): Fitting[] => {
      const parts = of(group)
      return parts ? [{ policy, parts }] : []
    })
}

const idWhereAsClose = ({ parts }: Fitting, { policy, parts: theirs }: Fitting): string[] =>
  moreSpecific(parts, theirs) === 0 ? [policy.id] : []

/** Of each of the policies that are being written, its groups, with all of them stored. `those`: of these alone; absent: of all. */
export async function groupsTouched(
  tx: Tx,
  before: readonly Policy[],
  drafts: readonly Policy[],
  those: readonly Policy[] = drafts,
): Promise<Touched[][]> {
  const [fitting, drafted] = [fits(before), fits(drafts)]
  const written = new Set(drafts.map(({ id }) => id))
  const touched: Touched[][] = those.map(() => [])
  await eachGroup(tx, (group, row) => {
    const [all, anew] = [fitting(group), drafted(group)]
    const is = (fit: readonly Fitting[], { id }: Policy) => fit.find(({ policy }) => policy.id === id)
    // Also what it is no longer for.
    const mine = those.map((draft) => is(anew, draft))
    if (!those.some((draft, i) => mine[i] ?? is(all, draft))) return
    const others = all.filter(({ policy }) => !written.has(policy.id))
    const rules = (fit: readonly Fitting[]) => effective(resolveFitting(fit, group.kind), row)
    const [now, then] = [rules(all), rules([...others, ...anew])]
    const { id, cluster, workloadCluster, namespace, kind, name } = group
    const shown = {
      ...{ id, cluster, workloadCluster, namespace, kind, name, machines: row.replicas },
      ...{ now: now.rules, then: then.rules, idle: then.idle },
      changes: changesIn(now.rules, then.rules),
      neither: couldNotRoll(then.rules, row),
    }
    for (const [i, draft] of those.entries()) {
      const own = mine[i]
      if (!own && !is(all, draft)) continue
      touched[i]!.push({
        ...{ is: own !== undefined, identity: group, then: then.rules, shown },
        asClose: new Set(own ? [...others, ...anew].flatMap((other) => idWhereAsClose(own, other)) : []),
      })
    }
  })
  return touched
}

/** Groups that get other rules from these policies than from those, by name, with which rules. */
export interface ChangedGroup {
  cluster: string
  workloadCluster: string
  name: string
  now: Resolved
  then: Resolved
  changes: Said[]
}

export async function groupsChanged(
  tx: Tx,
  before: readonly Policy[],
  after: readonly Policy[],
): Promise<ChangedGroup[]> {
  const [now, then] = [fits(before), fits(after)]
  const changed: ChangedGroup[] = []
  await eachGroup(tx, (group, row) => {
    const rules = (of: typeof now) => effective(resolveFitting(of(group), group.kind), row).rules
    const [was, is] = [rules(now), rules(then)]
    const changes = changesIn(was, is)
    const { cluster, workloadCluster, name } = group
    if (changes.length > 0) changed.push({ cluster, workloadCluster, name, now: was, then: is, changes })
  })
  return changed
}

const changesIn = (now: Resolved, then: Resolved): Said[] => [
  ...RULES.filter((rule) => JSON.stringify(now[rule].value) !== JSON.stringify(then[rule].value)),
  ...(['windows', 'freezes'] as const).filter((what) => valuesOf(now[what]) !== valuesOf(then[what])),
  ...(JSON.stringify(now.waves?.value) === JSON.stringify(then.waves?.value) ? [] : (['waves'] as const)),
]

const valuesOf = (told: Resolved['windows']): string => JSON.stringify(told.map(({ value }) => value))
