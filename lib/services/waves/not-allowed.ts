import type { Tx } from '@/lib/db/client'
import type { Outlook } from '@/lib/domain/changes'
import { isForbidden, whyNotThisWay, type Resolved } from '@/lib/domain/policies'
import { outlookIn } from '../changes/change-row'
import { ServiceError } from '../errors'
import { rulesForAll } from '../policies/rules-for'
import type { RunMember } from './run-members'

/** How it stands where nobody can approve it as it is. */
const NOT_ALLOWED = 'not allowed so by its policy'

/** Of changes, the ids of those that wait and that their policies let go in neither way. */
export async function notAllowedAmong(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.change.findMany({
    // What nothing of Drydock holds asks nobody.
    where: { id: { in: [...ids] }, state: 'waiting', heldBy: { notIn: ['person', 'none'] } },
    select: {
      ...{ id: true, state: true, outlook: true, clusterId: true },
      ...{ groupKind: true, namespace: true, groupName: true, workloadCluster: true },
    },
  })
  const rules = await rulesWhereKnown(tx, rows)
  return new Set(
    rows.flatMap((row, i) => {
      const [of, outlook] = [rules[i], outlookIn(row)]
      if (!of || of instanceof ServiceError) return []
      return isForbidden({ state: row.state, outlook }, { forbidden: whyInNeitherWay(of, outlook) }) ? [row.id] : []
    }),
  )
}

function whyInNeitherWay(rules: Resolved, outlook: Outlook): string | null {
  const why = whyNotThisWay('replace', rules, outlook)
  return why && (outlook.inPlace === null || whyNotThisWay('in-place', rules, outlook)) ? why : null
}

async function rulesWhereKnown(...of: Parameters<typeof rulesForAll>): ReturnType<typeof rulesForAll> {
  try {
    return await rulesForAll(...of)
  } catch (error) {
    if (error instanceof ServiceError) return []
    throw error
  }
}

/** As it stands. */
export const saidNotAllowed = <M extends { at?: string }>(member: M): M => ({ ...member, at: NOT_ALLOWED })

/** More than the sentence of a wave that waits names. */
const NAMED = 10

/** The changes that those who wait are told of: the first that are not through, wave by wave until one that is waited for. */
export function namedFirst(
  members: readonly RunMember[],
  waves: readonly { name: string }[],
  skipped: Skipped,
): string[] {
  const open = members.filter(({ state }) => state === 'open')
  const last = waves.findIndex(({ name }, i) => !skipped.has(name) && open.some(({ wave }) => wave === i))
  const shown = waves.slice(0, last + 1).flatMap((_, i) => open.filter(({ wave }) => wave === i).slice(0, NAMED))
  return shown.flatMap(({ change }) => (change?.state === 'waiting' ? [change.id] : []))
}
type Skipped = ReadonlyMap<string, unknown>
