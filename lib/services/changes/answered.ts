import { db } from '@/lib/db/client'
import { canonical, isAsked, isRule, ofContent, same, type FieldChange, type RevisionPair } from '@/lib/domain/changes'
import type { Json } from '@/lib/domain/json'
import { pairsApproved, type ApprovedPair } from './approved-pairs'

/**
 * Cluster API remembers a "yes" or "no" for a pair of MachineSets for 24 h (HookCacheDefaultTTL), and does not ask again. Some
 * minutes more for an answer that was on its way, and for clocks that differ.
 */
const REMEMBERED_MS = 24 * 3_600_000 + 600_000

type Mode = 'in-place' | 'replace'

interface Group {
  groupId: string
  groupKind: string
  pairs: readonly RevisionPair[]
}

/** Let go, or perhaps let go: from then on the question may have been answered. */
export const SENT = { OR: [{ acceptedAt: { not: null } }, { sentAt: { not: null } }] }

/**
 * Why deciding this way may do the other thing: for one of the pairs the other answer may have been given, and Cluster
 * API goes by it without asking. Null where it asks. Control planes are asked about every time. Whatever connection of the
 * cluster it was decided in: the group's uid is the same.
 */
export const answeredOtherwise = async (group: Group, mode: Mode): Promise<string | null> =>
  (await allAnsweredOtherwise([{ group, mode }]))[0] ?? null

/** The same of many, with one query: in their order. */
export async function allAnsweredOtherwise(all: readonly { group: Group; mode: Mode }[]): Promise<(string | null)[]> {
  const asked = all.map(({ group }) =>
    group.groupKind === 'MachineDeployment' ? new Set(group.pairs.filter(isRemembered).map(setsOf)) : new Set<string>(),
  )
  const groups = new Set(all.flatMap(({ group }, i) => (asked[i]!.size > 0 ? [group.groupId] : [])))
  if (groups.size === 0) return all.map(() => null)
  const decisions = await sentLately([...groups], [...new Set(all.map(({ mode }) => otherThan(mode)))])
  return all.map(({ group, mode }, i) => {
    const other = otherThan(mode)
    for (const { mode: was, voidedAt, change, ...decision } of decisions) {
      if (was !== other || change.groupId !== group.groupId) continue
      const pair = pairsApproved(decision, change).find((p) => isRemembered(p) && asked[i]!.has(setsOf(p)))
      // The last answer was given before the decision, or the change, was over.
      if (pair) return sentence(pair.from, other, voidedAt ?? change.finishedAt ?? new Date())
    }
    return null
  })
}

/** By which something may have been answered that is remembered still. */
const sentLately = (groupIds: string[], modes: Mode[]) => {
  const since = { gt: new Date(Date.now() - REMEMBERED_MS) }
  return db().decision.findMany({
    where: {
      mode: { in: modes },
      change: { groupId: { in: groupIds }, OR: [{ finishedAt: null }, { finishedAt: since }] },
      AND: [SENT, { OR: [{ voidedAt: null }, { voidedAt: since }] }],
    },
    select: {
      ...{ mode: true, voidedAt: true, pairs: true },
      change: { select: { groupId: true, changeSet: true, finishedAt: true } },
    },
  })
}

/**
 * Whether Cluster API may move machines of a group by an answer that it remembers: `this`: to what is wanted now; `other`: as soon as that is
 * wanted again. `sets`: the names of machine sets that have machines, asked where anything is remembered. Null: it asks about each of them.
 */
export async function rememberedOf(
  { groupId, groupKind, pairs }: Group,
  sets: () => Promise<readonly string[]>,
): Promise<'this' | 'other' | null> {
  if (groupKind !== 'MachineDeployment') return null
  const sent = await sentLately([groupId], ['in-place', 'replace'])
  const answered = sent.flatMap(({ change, ...decision }) => pairsApproved(decision, change)).filter(isRemembered)
  const now = new Set(pairs.filter(isRemembered).map(setsOf))
  if (answered.some((pair) => now.has(setsOf(pair)))) return 'this'
  const there = answered.length > 0 ? await sets() : []
  return answered.some(({ from }) => there.includes(from)) ? 'other' : null
}

/**
 * It remembers by the names of both MachineSets (machinedeployment_canupdatemachineset.go, Key): whatever stands in their templates by
 * now, one that was edited where it stands makes no other set. The new one is told by what the old one differs in, names of templates included.
 */
const setsOf = ({ from, changes }: ApprovedPair): string =>
  canonical([
    from,
    changes
      .filter(isOfSet)
      .map(({ path, desired }) => [path, desired === undefined ? [] : [desired]] as Json[])
      .sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)),
  ])

/**
 * Whether two changes surely want another MachineSet, and other machines: some field of the set is to become something else, and so is one
 * of what is asked about a machine, which names of templates are not.
 */
export function isSurelyOther(one: readonly ApprovedPair[], other: readonly ApprovedPair[]): boolean {
  const fields = (pairs: readonly ApprovedPair[]) => pairs.flatMap(({ changes }) => changes)
  const differ = fields(one).filter((field) =>
    fields(other).some((c) => c.object === field.object && c.path === field.path && !same(c.desired, field.desired)),
  )
  return differ.some(isOfSet) && differ.some((field) => ofContent(field) && !isRule(field))
}

const isOfSet = (change: FieldChange): boolean => change.object === 'machine' && !isRule(change)

const isRemembered = (pair: ApprovedPair): boolean => !pair.otherKind && isAsked(pair)
const otherThan = (mode: Mode): Mode => (mode === 'in-place' ? 'replace' : 'in-place')

function sentence(from: string, other: Mode, last: Date): string {
  const was = other === 'replace' ? 'replacing' : 'in place'
  const until = new Date(last.getTime() + REMEMBERED_MS).toISOString().slice(0, 16)
  return `An update of ${from} to the same version and templates was approved ${was} before. Cluster API remembers that answer until about ${until.replace('T', ' ')} UTC, whatever was edited in them since, and would go by it without asking. Approve it ${was} again${other === 'in-place' ? ', with the gate registered' : ''}, or let the group name another version or another template.`
}
