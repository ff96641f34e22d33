import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { timeWords } from '@/lib/domain/drain-time-out'
import { POOL } from '@/lib/domain/latch/hold'
import { shapeWanted, type Resolved } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { unshapedOf } from '../policies/shape'
import { outlookIn } from './change-row'

type Of = Pick<Change, 'groupId' | 'groupKind' | 'outlook' | 'shape'>

/**
 * For how many seconds the nodes of each group are drained at most when its change goes, by the id of the group: by what is written to it
 * for its policies before, else, also where that could not be written, as it is. Those without a limit are not in it.
 */
export async function drainLimits(
  all: readonly { change: Of; rules: Resolved | ServiceError | null }[],
): Promise<Map<string, number>> {
  const ids = all.flatMap(({ change }) => (change.groupKind === POOL ? [] : [change.groupId]))
  if (ids.length === 0) return new Map()
  const select = { id: true, drainSeconds: true, strategy: true } as const
  const groups = await db().group.findMany({ where: { id: { in: ids } }, select })
  const rows = new Map(groups.map((group) => [group.id, group]))
  return new Map(
    all.flatMap(({ change, rules }) => {
      const row = rows.get(change.groupId)
      if (!row) return []
      const known = rules instanceof ServiceError ? null : rules
      const unwritten = known && unshapedOf(known, change)?.shape.stuck
      // What has begun goes on as it began.
      const asked = unwritten || outlookIn(change).before ? null : known
      const of = { kind: change.groupKind, strategy: row.strategy }
      const seconds = (asked && shapeWanted(asked, of).drainSeconds) ?? row.drainSeconds ?? 0
      return seconds > 0 ? [[change.groupId, seconds] as const] : []
    }),
  )
}

const CUT_OFF = 'pods that are still on the node by then are cut off with it, whatever their disruption budgets say.'

/** What comes of that where machines go, of so many groups. */
export function drainWords(limits: readonly number[], groups = 1): string[] {
  if (limits.length === 0) return []
  const [least, most] = [Math.min(...limits), Math.max(...limits)]
  const after = least === most ? timeWords(least) : `${timeWords(least)} to ${timeWords(most)}`
  const of = limits.length < groups ? `In ${limits.length} of these ${groups} groups a` : 'A'
  return [`${of} drain is given up after ${after}: ${CUT_OFF}`]
}
