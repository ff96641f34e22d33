import type { PolicySpec } from '@/lib/domain/policies'

/** What of a policy a walk plays with: one for all its groups, and one for each by name, which is more specific. */
export interface Said {
  strategy?: 'in-place-only' | 'prefer-in-place' | 'replace'
  approvals?: number
  notTheAuthor?: boolean
  reasonRequired?: boolean
  /** After an hour; walks make approvals older than that. */
  expires?: boolean
  stopsAt?: number
  /** `closed` and `open` are windows of tomorrow, and of now. */
  window?: 'open' | 'closed'
  frozen?: boolean
  /** The first group is a wave of its own, all others come after it. */
  waves?: boolean
}

/** By "all", or the name of the group that it is for. */
export type Policies = Readonly<Record<string, Said>>

/** What docs/policies.md says holds for a group: of each rule what the more specific policy says, of freezes every one. */
export function rulesOf(policies: Policies, group: string) {
  const own = policies[group]
  const all = policies.all
  const rule = <K extends keyof Said>(key: K): Said[K] => own?.[key] ?? all?.[key]
  return {
    strategy: rule('strategy') ?? 'prefer-in-place',
    // Field managers of a walk are tools and name nobody: then one approval more is asked for.
    needed: (rule('approvals') ?? 1) + (rule('notTheAuthor') && (rule('approvals') ?? 1) > 0 ? 1 : 0),
    asksNobody: (rule('approvals') ?? 1) === 0,
    reasonRequired: rule('reasonRequired') ?? false,
    expires: rule('expires') ?? false,
    stopsAt: rule('stopsAt') ?? null,
    isOpen: rule('window') !== 'closed' && !own?.frozen && !all?.frozen,
    waves: all?.waves === true,
  }
}

const HOUR = 3_600_000
const local = (at: number) => new Date(at).toISOString().slice(0, 16)
const now = () => ({ starts: local(Date.now() - HOUR), lasts: '2h', timeZone: 'UTC' })
const tomorrow = () => ({ starts: local(Date.now() + 24 * HOUR), lasts: '2h', timeZone: 'UTC' })

/** The same as it is written in the editor. */
export function specOf(said: Said, select: PolicySpec['select'], first: string): PolicySpec {
  const { window, frozen, waves, expires, ...rules } = said
  return {
    select,
    ...rules,
    ...(expires ? { expiresAfter: '1h' } : {}),
    ...(window ? { windows: [window === 'open' ? now() : tomorrow()] } : {}),
    ...(frozen ? { freezes: [{ ...now(), why: 'the sale' }] } : {}),
    ...(waves ? { waves: [{ name: 'first', select: { names: [first] } }, { name: 'others' }] } : {}),
  }
}
