import { setImmediate } from 'node:timers/promises'
import { db } from '@/lib/db/client'
import { hasTimes, openings } from '@/lib/domain/calendar'
import {
  matcher,
  resolve,
  resolveFitting,
  RULES,
  type Fitting,
  type Policy,
  type PolicyGroup,
  type Resolved,
  type Rules,
} from '@/lib/domain/policies'
import { membersOf, withRest } from '@/lib/domain/waves'
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
  /** Rules that would be others, and whether the times would. */
  changes: Said[]
}

export type Said = keyof Rules | 'windows' | 'freezes' | 'waves'

export interface PolicyPreview {
  /** By its own windows and freezes: when machines may move next; from null: they may now. Null: it
   * says nothing of when. */
  openings: { from: string | null; to: string | null }[] | null
  /** Of its own waves: how many of its groups are in each, and the first of them. Null: it has none. */
  waves: { name: string; groups: number; first: string[] }[] | null
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
  const ofWaves: (PolicyGroup & { id: string })[] = []
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
    const changes: Said[] = [
      ...RULES.filter((rule) => now[rule].value !== then[rule].value),
      ...(['windows', 'freezes'] as const).filter((what) => valuesOf(now[what]) !== valuesOf(then[what])),
      ...(JSON.stringify(now.waves?.value) === JSON.stringify(then.waves?.value) ? [] : (['waves'] as const)),
    ]
    if (then.waves?.policy?.id === draft.id) ofWaves.push({ ...group, id: row.id })
    const { cluster, workloadCluster, namespace, kind, name: groupName } = group
    const identity = { id: row.id, cluster, workloadCluster, namespace, kind, name: groupName }
    touched.push({ ...identity, is, machines: row.replicas, now, then, changes })
  }
  const matching = touched.filter(({ is }) => is)
  const changing = touched.filter(({ changes }) => changes.length > 0)
  const shown = [...changing, ...touched.filter(({ changes }) => changes.length === 0)].slice(0, MOST)
  return {
    openings: openingsOf(draft),
    waves: wavesOf(draft, ofWaves),
    matching: matching.length,
    changing: changing.length,
    machines: matching.reduce((sum, { machines }) => sum + machines, 0),
    groups: shown.map(({ is: _, ...group }) => group),
  }
}

const valuesOf = (told: Resolved['windows']): string => JSON.stringify(told.map(({ value }) => value))

const MOST_NAMED = 5

function wavesOf({ spec }: Policy, groups: readonly (PolicyGroup & { id: string })[]): PolicyPreview['waves'] {
  if (!spec.waves || spec.waves === 'none') return null
  const waves = withRest(spec.waves)
  const found = membersOf(waves, groups)
  const members: string[][] = waves.map(() => [])
  for (const { id, workloadCluster, name } of groups) members[found.get(id)!]!.push(`${workloadCluster}/${name}`)
  return waves.map(({ name }, i) => ({
    ...{ name, groups: members[i]!.length },
    first: members[i]!.sort().slice(0, MOST_NAMED),
  }))
}

const MOST_OPENINGS = 5

function openingsOf(draft: Policy): PolicyPreview['openings'] {
  const { windows, freezes } = resolve([{ ...draft, spec: { ...draft.spec, select: {} } }], ANY)
  if (!hasTimes({ windows, freezes })) return null
  const iso = (at: number) => new Date(at).toISOString()
  const now = Date.now()
  return openings({ windows, freezes }, now, MOST_OPENINGS).map(({ from, to }) => ({
    from: from === now ? null : iso(from),
    to: to === null ? null : iso(to),
  }))
}
const ANY = { cluster: '', workloadCluster: '', labels: NO_LABELS, namespace: '', kind: '', name: '' }
