import { db } from '@/lib/db/client'
import { behindWords, isBehind, isLate } from '@/lib/domain/changes/behind'

export interface BehindNow {
  /** Machines whose updaters are done, and that are not what is wanted. */
  names: string[]
  /** Why nobody can say when they will be: one of them is so for too long. */
  stalled?: string
}

/** Which machines of a change count for Cluster API, and are not what they were to become. */
export async function behindNow(changeId: string, now: number): Promise<BehindNow> {
  const rows = await db().machineProgress.findMany({
    where: { changeId, state: 'updating', startedAt: { not: null } },
    select: { machineId: true, updatersDone: true },
  })
  if (rows.length === 0) return { names: [] }
  const done = new Map(rows.map((row) => [row.machineId, row.updatersDone.length > 0]))
  const machines = await db().machine.findMany({ where: { id: { in: [...done.keys()] } }, orderBy: { name: 'asc' } })
  const behind = machines.filter(isBehind)
  const names = behind.map(({ name }) => name)
  const late = behind.filter((machine) => isLate(machine, now))
  const [first] = late
  if (!first) return { names }
  const more = late.length > 1 ? `, and so with ${late.length - 1} more` : ''
  const words = behindWords(first, done.get(first.id) ?? false)
  return { names, stalled: `${first.name}: ${words}${more}. When that changes, nobody knows.` }
}
