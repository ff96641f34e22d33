import { rulesOf, type Policies } from './rules'

export type Way = 'in-place' | 'replace'
export const WAYS: readonly Way[] = ['in-place', 'replace']

/** What people said of one group, as docs/policies.md counts it: nothing here is read from Drydock. */
export interface GroupWords {
  /** What its template says. */
  wants: string
  replicas: number
  /** Of what it wants now, by person: the newest word of each. */
  approvals: Readonly<Record<string, { way: Way; reason: boolean; oneByOne?: boolean; isOld?: boolean }>>
  paused: boolean
  overridden: boolean
  rejected: boolean
  /** An approval by which it went was taken back, and nobody approved it since. */
  tookBack: boolean
  /** So many machines may begin, one by one; null: all. */
  steps: number | null
  /** Failures were accepted at this moment. */
  acceptedAt: number
  /** Somebody paused it in the cluster. */
  theirs: boolean
  /** Of these people have to decide from now on, whatever its policies ask. */
  forPeople: readonly string[]
}

export interface Words {
  policies: Policies
  groups: Readonly<Record<string, GroupWords>>
}

/** What held from some moment in [from, to] on. */
export interface Said extends Words {
  from: number
  to: number
}

export const NEW_WORDS = {
  ...{ approvals: {}, paused: false, overridden: false, rejected: false, tookBack: false },
  ...{ steps: null, acceptedAt: 0 },
} satisfies Partial<GroupWords>

/** What was said, in its order; what may have been in force at a moment. */
export class Story {
  private readonly said: Said[] = []

  constructor(first: Words) {
    this.said.push({ ...first, from: 0, to: 0 })
  }

  get now(): Said {
    return this.said.at(-1)!
  }

  push(from: number, change: (now: Words) => Words, to = Date.now()): void {
    this.said.push({ ...change(this.now), from, to })
  }

  group(from: number, name: string, change: (now: GroupWords) => Partial<GroupWords>, to?: number): void {
    const changed = (group: GroupWords) => ({ ...group, ...change(group) })
    this.push(from, (now) => ({ ...now, groups: { ...now.groups, [name]: changed(now.groups[name]!) } }), to)
  }

  /** Whatever held for a moment between these two. */
  between(from: number, to: number): Said[] {
    return this.said.filter((one, i) => {
      const next = this.said[i + 1]
      return one.from <= to && (!next || next.to >= from)
    })
  }
}

/** Enough people said so, or its policy asks nobody. Waves apart, whether its time is now is another question. */
export function isApproved({ policies, groups }: Words, name: string, way: Way, isPlane: boolean): boolean {
  const group = groups[name]!
  const rules = rulesOf(policies, name)
  if (way === 'replace' && rules.strategy === 'in-place-only') return false
  if (way === 'in-place' && rules.strategy === 'replace') return false
  const counts = Object.values(group.approvals).filter(
    (one) => one.way === way && (one.reason || !rules.reasonRequired) && !(one.isOld && rules.expires),
  )
  if (!rules.asksNobody || group.forPeople.includes(group.wants)) return counts.length >= Math.max(1, rules.needed)
  return counts.length > 0 || way === 'in-place' || (rules.strategy === 'replace' && !isPlane)
}

/** Nothing but the waves keeps it from going. */
export function isItsTime({ policies, groups }: Words, name: string): boolean {
  const { paused, rejected, overridden } = groups[name]!
  return !paused && !rejected && (overridden || rulesOf(policies, name).isOpen)
}
