import { db } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { may, parseInput, requirePermission, type Ctx } from '../context'
import { atOnce, withDrafts, type AtOnce } from './at-once'
import { strangeLabels, type StrangeLabel } from './labels-there'
import { overruledIn, type Overruled } from './overruled'
import { groupsTouched, type PreviewedGroup, type Touched } from './previewed-groups'
import { tooFewPeople, type TooFewPeople } from './people-enough'
import {
  neverOpen,
  openingsOf,
  wavesOf,
  type NeverOpen,
  type Opening,
  type OtherWaves,
  type PreviewedWave,
} from './previewed-times'
import { readPolicies } from './read-policies'
import { PreviewPolicyInput } from './schemas'

export interface PolicyPreview {
  /** Its name, where another policy has it: it cannot be saved so. */
  taken: string | null
  /** By its own windows and freezes: when machines may move next; from null: they may now. Null: it
   * says nothing of when. */
  openings: Opening[] | null
  /** Of its own waves: how many of its groups are in each, and the first of them. Null: it has none. */
  waves: PreviewedWave[] | null
  /** It has waves, and these of its groups go by those of another policy. */
  otherWaves: OtherWaves[]
  /** What saving it does to changes that are there; null: whoever asks may not save it. */
  atOnce: AtOnce | null
  /** It has no rule at all. */
  saysNothing: boolean
  /** Groups that it is for, and how many of them get another rule. */
  matching: number
  changing: number
  machines: number
  /** Rules of it that mean nothing for some of its groups. */
  idle: { words: string; groups: number; why: string }[]
  /** Groups that could not roll with what would be written to them. */
  neither: number
  neverOpen: NeverOpen[]
  tooFew: TooFewPeople | null
  /** Rules of it that do not count for some of its groups. */
  overruled: Overruled[]
  /** Labels that it goes by, and that no workload cluster has. */
  strangeLabels: StrangeLabel[]
  /** Updaters that it names, and that nobody registered. */
  strangeUpdaters: string[]
  /** Those that change first, then by name. */
  groups: PreviewedGroup[]
}

const MOST = 50
/** Stands for the one that is being written. */
const DRAFT = '00000000-0000-4000-8000-000000000000'

/** Which groups a policy that is being written is for, with what holds for each now and what would, and what saving it does at once. */
export async function previewPolicy(ctx: Ctx, input: unknown): Promise<PolicyPreview> {
  requirePermission(ctx, 'fleet:read')
  const { policyId, name, spec } = parseInput(PreviewPolicyInput, input)
  const before = await readPolicies(db(), policyId ? [policyId] : [])
  const draft: Policy = { id: policyId ?? DRAFT, name: name || 'this policy', version: 0, spec }
  const touched = await groupsTouched(db(), before, draft)
  const matching = touched.filter(({ is }) => is)
  const changing = touched.filter(({ shown }) => shown.changes.length > 0)
  const shown = [...changing, ...touched.filter(({ shown: { changes } }) => changes.length === 0)].slice(0, MOST)
  const waves = spec.waves === 'none' ? [] : (spec.waves ?? [])
  return {
    taken: before.some((one) => one.name === name && one.id !== policyId) ? name : null,
    openings: openingsOf(draft),
    waves: wavesOf(
      draft,
      matching.flatMap(({ then, identity }) => (then.waves?.policy?.id === draft.id ? [identity] : [])),
    ),
    otherWaves: waves.length > 0 ? otherWaves(matching, draft) : [],
    atOnce: may(ctx.actor.role, 'policies:write') ? await atOnce(db(), before, withDrafts(before, [draft])) : null,
    saysNothing: Object.entries(spec).every(([key, rule]) => key === 'select' || rule === undefined),
    ...{ matching: matching.length, changing: changing.length },
    machines: matching.reduce((sum, one) => sum + one.shown.machines, 0),
    idle: idleIn(matching, draft),
    neither: matching.filter(({ shown: { neither } }) => neither).length,
    neverOpen: neverOpen(matching.map(({ then }) => then)),
    tooFew: await tooFewPeople(
      db(),
      matching.flatMap(({ then }) => (then.approvals.policy?.id === draft.id ? [then] : [])),
    ),
    strangeLabels: await strangeLabels(db(), [spec.select, ...waves.map(({ select }) => select)]),
    overruled: overruledIn(matching, draft),
    strangeUpdaters: await unregistered(spec.updaterOrder ?? []),
    groups: shown.map((one) => one.shown),
  }
}

async function unregistered(names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const there = await db().updater.findMany({ where: { name: { in: [...names] } }, select: { name: true } })
  return names.filter((name) => !there.some((one) => one.name === name))
}

function otherWaves(matching: readonly Touched[], draft: Policy): OtherWaves[] {
  const found = new Map<string, OtherWaves>()
  for (const { then, own } of matching) {
    const told = then.waves
    if (!told?.policy || told.policy.id === draft.id) continue
    const { id, name } = told.policy
    const one = found.get(id) ?? { policy: name, groups: 0, asClose: own?.waves?.why === told.why }
    found.set(id, { ...one, groups: one.groups + 1 })
  }
  return [...found.values()]
}

/** What this very policy says and what means nothing, by what it is. */
function idleIn(matching: readonly Touched[], draft: Policy): PolicyPreview['idle'] {
  const found = new Map<string, PolicyPreview['idle'][number]>()
  const idle = matching.flatMap(({ shown }) => shown.idle.filter(({ policy }) => policy === draft.name))
  for (const { rule, value, why } of idle) {
    const words = `${rule} ${String(value)}`
    const key = `${words} ${why}`
    found.set(key, { words, why, groups: (found.get(key)?.groups ?? 0) + 1 })
  }
  return [...found.values()]
}
