import type { Policy } from '@/lib/domain/policies'
import { strangeLabels, type StrangeLabel } from './labels-there'
import { overruledIn, type Overruled } from './overruled'
import { tooFewPeople, type TooFewPeople } from './people-enough'
import { areAsClose, type Touched } from './previewed-groups'
import type { NeverOpen, OtherWaves } from './previewed-times'
import type { ShortLived } from './short-lived'
import type { There } from './there'

/** What of a policy that is being written would not be as it looks. */
export interface Warned {
  /** Rules of it that mean nothing for some of its groups. */
  /** `instead`: the policy that holds there; absent: as the group says. */
  idle: { words: string; groups: number; why: string; instead?: string }[]
  /** Groups that could not roll with what would be written to them. */
  neither: number
  /** By its own windows and freezes no machine may move within a year. */
  neverOpens: boolean
  /** Where it is not by its own alone. */
  neverOpen: NeverOpen[]
  shortLived: ShortLived | null
  tooFew: TooFewPeople | null
  /** Rules of it that do not count for some of its groups. */
  overruled: Overruled[]
  /** It has waves, and these of its groups go by those of another policy. */
  otherWaves: OtherWaves[]
  /** Labels that it goes by, and that no workload cluster has. */
  strangeLabels: StrangeLabel[]
  /** Updaters that it names, and that nobody registered. */
  strangeUpdaters: string[]
}

/** `matching`: the groups that it is for. */
export async function warnedOf(there: There, draft: Policy, matching: readonly Touched[]): Promise<Warned> {
  const { spec } = draft
  const neverOpens = there.neverOpens(draft)
  const waves = spec.waves === 'none' ? [] : (spec.waves ?? [])
  return {
    idle: idleIn(matching, draft),
    neither: matching.filter(({ shown: { neither } }) => neither).length,
    neverOpens,
    neverOpen: neverOpens ? [] : there.neverOpen(matching.map(({ shown: { then } }) => then)),
    shortLived: neverOpens ? null : there.shortLived(draft),
    tooFew: await tooFewPeople(
      there,
      matching.flatMap(({ shown: { then } }) => (then.approvals.policy?.id === draft.id ? [then] : [])),
    ),
    overruled: overruledIn(matching, draft),
    otherWaves: waves.length > 0 ? otherWaves(matching, draft) : [],
    strangeLabels: await strangeLabels(there, [spec.select, ...waves.map(({ select }) => select)]),
    strangeUpdaters: await unregistered(there, spec.updaterOrder ?? []),
  }
}

async function unregistered({ updaters }: There, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const there = await updaters()
  return names.filter((name) => !there.has(name))
}

function otherWaves(matching: readonly Touched[], draft: Policy): OtherWaves[] {
  const found = new Map<string, OtherWaves>()
  for (const group of matching) {
    const told = group.shown.then.waves
    if (!told?.policy || told.policy.id === draft.id) continue
    const { id, name } = told.policy
    const one = found.get(id) ?? { policy: name, groups: 0, asClose: areAsClose(group, draft.id, id) }
    found.set(id, { ...one, groups: one.groups + 1 })
  }
  return [...found.values()]
}

/** What this very policy says and what means nothing, by what it is. */
function idleIn(matching: readonly Touched[], draft: Policy): Warned['idle'] {
  const found = new Map<string, Warned['idle'][number]>()
  // No group says a hold limit of its own, and a policy for many is for workers, too: nothing is other there than it looks.
  const idle = matching.flatMap(({ shown }) =>
    shown.idle.filter(({ policy, rule }) => policy === draft.name && rule !== 'holdLimit'),
  )
  for (const { rule, value, why, instead } of idle) {
    const words = `${rule} ${String(value)}`
    const key = `${words} ${why} ${instead ?? ''}`
    const groups = (found.get(key)?.groups ?? 0) + 1
    found.set(key, { words, why, groups, ...(instead === undefined ? {} : { instead }) })
  }
  return [...found.values()]
}
