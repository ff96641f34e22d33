import { db } from '@/lib/db/client'
import { behindWords, isBehind, isLate } from '@/lib/domain/changes/behind'

export interface BehindNow {
  /** Machines whose updaters are done, and that are not what is wanted. */
  names: string[]
  /** What they wait for, in one sentence; null: there are none. */
  words: string | null
  /** One of them is so for longer than a node takes to report. */
  late: boolean
}

export const NONE_BEHIND: BehindNow = { names: [], words: null, late: false }

/** Which machines of a change count for Cluster API, and are not what they were to become. */
export async function behindNow(changeId: string, now: number): Promise<BehindNow> {
  const rows = await db().machineProgress.findMany({
    where: { changeId, state: 'updating', startedAt: { not: null } },
    select: { machineId: true, updatersDone: true },
  })
  if (rows.length === 0) return NONE_BEHIND
  const done = new Map(rows.map((row) => [row.machineId, row.updatersDone.length > 0]))
  const machines = await db().machine.findMany({ where: { id: { in: [...done.keys()] } }, orderBy: { name: 'asc' } })
  const behind = machines.filter(isBehind)
  const names = behind.map(({ name }) => name)
  // The one that is so for longest speaks for all.
  const [first] = behind.toSorted((a, b) => a.changedAt.getTime() - b.changedAt.getTime())
  if (!first) return NONE_BEHIND
  const more = behind.length > 1 ? `, and so with ${behind.length - 1} more` : ''
  const words = `${first.name}: ${behindWords(first, done.get(first.id) ?? false)}${more}. It ends when that changes.`
  return { names, words, late: isLate(first, now) }
}
