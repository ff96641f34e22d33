import { hasTimes, openings } from '@/lib/domain/calendar'
import { resolve, type Policy, type PolicyGroup, type Resolved } from '@/lib/domain/policies'
import { membersOf, withRest } from '@/lib/domain/waves'

export interface PreviewedWave {
  name: string
  groups: number
  /** The first of them, by name. */
  first: string[]
}

/** Groups that go by the waves of another policy than the one that is being written. */
export interface OtherWaves {
  policy: string
  groups: number
  /** It describes them as closely, and has as many waves or more; else it describes them more closely. */
  asClose: boolean
}

/** Groups whose windows are never open together, or never outside a freeze, within a year. */
export interface NeverOpen {
  policies: string[]
  groups: number
}

const MOST_NAMED = 5

/** Which of its groups are in which of its waves now; null: it has none. */
export function wavesOf({ spec }: Policy, groups: readonly (PolicyGroup & { id: string })[]): PreviewedWave[] | null {
  if (!spec.waves || spec.waves === 'none') return null
  const waves = withRest(spec.waves)
  const found = membersOf(waves, groups)
  const members: string[][] = waves.map(() => [])
  for (const { id, cluster, workloadCluster, name } of groups)
    members[found.get(id)!]!.push(`${cluster}/${workloadCluster}/${name}`)
  return waves.map(({ name }, i) => ({
    ...{ name, groups: members[i]!.length },
    first: members[i]!.sort().slice(0, MOST_NAMED),
  }))
}

const MOST_OPENINGS = 5

/** From null: it is open now; to null: it does not end within a year. Of the last one: nothing comes after it within a year. */
export interface Opening {
  from: string | null
  to: string | null
  last: boolean
  /** In which its windows are written, or its freezes where it has none; null: in several. */
  timeZone: string | null
}

/** By its own windows and freezes alone; null: it says nothing of when. */
export function openingsOf(draft: Policy): Opening[] | null {
  const { windows, freezes } = calendarOf(draft)
  if (!hasTimes({ windows, freezes })) return null
  const iso = (at: number) => new Date(at).toISOString()
  const now = Date.now()
  const all = openings({ windows, freezes }, now, MOST_OPENINGS + 1)
  const timeZone = zoneOf({ windows, freezes })
  return all.slice(0, MOST_OPENINGS).map(({ from, to }, i) => ({
    from: from === now ? null : iso(from),
    to: to === null ? null : iso(to),
    last: i === all.length - 1 && to !== null,
    timeZone,
  }))
}

/** What it says itself of when. */
export const calendarOf = (draft: Policy): Calendar => resolve([{ ...draft, spec: { ...draft.spec, select: {} } }], ANY)
type Calendar = Pick<Resolved, 'windows' | 'freezes'>

/** In which its windows are written, or its freezes where it has none; null: in several. */
export function zoneOf({ windows, freezes }: Calendar): string | null {
  const spans = (windows.length > 0 ? windows : freezes).flatMap(({ value }) => value)
  const zones = new Set(spans.map(({ timeZone }) => timeZone))
  return zones.size === 1 ? [...zones][0]! : null
}
const ANY = { cluster: '', workloadCluster: '', labels: {}, namespace: '', kind: '', name: '' }

/** Whether machines never may move within a year by such a calendar. Times that are asked of again are played once. */
export function neverOpens(): (calendar: Calendar) => boolean {
  const keys = new WeakMap<Calendar, string>()
  const known = new Map<string, boolean>()
  return (calendar) => {
    const { windows, freezes } = calendar
    if (!hasTimes(calendar)) return false
    const key = keys.get(calendar) ?? JSON.stringify([windows, freezes].map((all) => all.map(({ value }) => value)))
    keys.set(calendar, key)
    if (!known.has(key)) known.set(key, isShut({ windows, freezes }))
    return known.get(key)!
  }
}

/** Of groups with more than one word on when they may move: those that never may. */
export function neverOpen(never: ReturnType<typeof neverOpens>): (all: readonly Resolved[]) => NeverOpen[] {
  return (all) => {
    const found = new Map<string, NeverOpen>()
    for (const rules of all) {
      const { windows, freezes } = rules
      if (windows.length === 0 || windows.length + freezes.length < 2 || !never(rules)) continue
      const policies = [...new Set([...windows, ...freezes].flatMap(({ policy }) => policy?.name ?? []))]
      const key = policies.join()
      const known = found.get(key)
      if (known) known.groups++
      else found.set(key, { policies, groups: 1 })
    }
    return [...found.values()]
  }
}

/** What cannot be followed is closed. */
function isShut(calendar: Calendar): boolean {
  try {
    return openings(calendar, Date.now(), 1).length === 0
  } catch {
    return true
  }
}
