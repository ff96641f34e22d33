import { db } from '@/lib/db/client'
import { isAsked, type RevisionPair } from '@/lib/domain/changes'
import { changeSetOf } from './change-row'

/**
 * Cluster API remembers a "yes" or "no" for a pair of MachineSets for 24 h (HookCacheDefaultTTL), and does not ask again. Some
 * minutes more for an answer that was on its way, and for clocks that differ.
 */
const REMEMBERED_MS = 24 * 3_600_000 + 600_000

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
export async function answeredOtherwise(group: Group, mode: 'in-place' | 'replace'): Promise<string | null> {
  const asked = new Map(
    group.pairs.filter((pair) => isAsked(pair) && !pair.otherKind).map((p) => [p.from, p.fingerprint]),
  )
  if (group.groupKind !== 'MachineDeployment' || asked.size === 0) return null
  const since = { gt: new Date(Date.now() - REMEMBERED_MS) }
  const other = mode === 'in-place' ? 'replace' : 'in-place'
  const decisions = await db().decision.findMany({
    where: {
      mode: other,
      change: { groupId: group.groupId, OR: [{ finishedAt: null }, { finishedAt: since }] },
      AND: [SENT, { OR: [{ voidedAt: null }, { voidedAt: since }] }],
    },
    select: { voidedAt: true, change: { select: { changeSet: true, finishedAt: true } } },
  })
  for (const { voidedAt, change } of decisions) {
    const pair = changeSetOf(change).pairs.find(
      (p) => isAsked(p) && !p.otherKind && asked.get(p.from) === p.fingerprint,
    )
    // The last answer was given before the decision, or the change, was over.
    if (pair) return sentence(pair.from, other, voidedAt ?? change.finishedAt ?? new Date())
  }
  return null
}

function sentence(from: string, other: 'in-place' | 'replace', last: Date): string {
  const was = other === 'replace' ? 'replacing' : 'in place'
  const until = new Date(last.getTime() + REMEMBERED_MS).toISOString().slice(0, 16)
  return `The same update of ${from} was approved ${was} before. Cluster API remembers that answer until about ${until.replace('T', ' ')} UTC and would go by it without asking. Approve it ${was} again${other === 'in-place' ? ', with the gate registered' : ''}, or change what is wanted.`
}
