import { countCells, type HullCell, type HullData } from '@/lib/domain/hull'
import type { Frame, Move } from '@/lib/domain/rollout/forecast/types'
import type { Plan } from '@/lib/services/forecast/plan'

/** Before anything of it has begun: what begins at once, begins at 0. */
const BEFORE = -1

/** The moments at which something begins or ends; of a large rollout only those of its frames. `running`: from now on. */
export function stepsOf(
  { moves, moving, frames }: Pick<Plan, 'moves' | 'moving' | 'frames'>,
  running = false,
): number[] {
  const moments = moves.length < moving ? [] : moves.flatMap(({ from, to }) => [from, to])
  const later = frames.map(({ at }) => at).filter((at) => at > 0)
  return [...new Set([running ? 0 : BEFORE, ...moments, ...later])].sort((a, b) => a - b)
}

/** Where a slider that shows time comes to: one key moves it to the step before or after, dragged it goes to the nearest. */
export function stepTo(steps: readonly number[], step: number, value: number): number {
  const by = value - (steps[step] ?? 0)
  const next = Math.abs(by) <= 1 ? step + Math.sign(by) : nearest(steps, value)
  return Math.min(steps.length - 1, Math.max(0, next))
}

const nearest = (steps: readonly number[], value: number): number =>
  steps.reduce((best, at, i) => (Math.abs(at - value) < Math.abs(steps[best]! - value) ? i : best), 0)

export const frameAt = (frames: readonly Frame[], at: number): Frame | undefined =>
  frames.findLast((frame) => frame.at <= at) ?? frames[0]

export const underWayAt = (moves: readonly Move[], at: number): Move[] =>
  moves.filter(({ from, to }) => from <= at && at < to)

const STAYS = new Set<HullCell['mark']>(['failed', 'not-ready'])

/** The machines of the group at a moment of the rollout. Null where there are too many to follow one by one. */
export function hullAt(
  hull: HullData,
  plan: Pick<Plan, 'moves' | 'moving' | 'stalled' | 'returning'>,
  at: number,
): HullData | null {
  const there = hull.cells?.filter((cell) => cell.id !== null)
  if (!there || plan.moves.length < plan.moving) return null
  const byMachine = new Map<string, Move[]>()
  for (const move of plan.moves) byMachine.set(move.machine, [...(byMachine.get(move.machine) ?? []), move])
  const replaces = plan.moves.some(({ work }) => work === 'create')
  const names = new Set(there.map(({ name }) => name))
  const cells = there.map((cell): HullCell => {
    const moves = byMachine.get(cell.name) ?? []
    // Of what does not get as far, or is to be something else than it is, nothing is foretold: it stays as it is.
    const stays = plan.stalled !== undefined || cell.moving || STAYS.has(cell.mark)
    if (moves.length === 0 && stays) return cell
    if (plan.returning?.includes(cell.name) && isAtIt(moves, at)) return cell
    // Played as if it went well this time: until then it has failed.
    if (cell.mark === 'failed' && isAtIt(moves, at)) return cell
    if (cell.mark === 'failed' && moves[0]?.work === 'create')
      return { id: cell.id, name: cell.name, mark: 'up-to-date' }
    return cellAt({ id: cell.id, name: cell.name }, moves, at, replaces ? 'replace' : 'deleting')
  })
  const made = [...byMachine].filter(([name, [first]]) => !names.has(name) && first?.work === 'create')
  for (const [index, [, moves]] of made.entries())
    cells.push(cellAt({ id: null, name: `new machine ${index + 1}` }, moves, at))
  return { total: cells.length, cells, counts: countCells(cells) }
}

/** Before it is through with what it is at, or was at; what is deleted is being deleted. */
const isAtIt = ([first]: readonly Move[], at: number): boolean =>
  first !== undefined && (first.work === 'delete' ? at < first.from : at < first.to)

/** `goes`: what one is that is to be deleted; where nothing comes at all, nothing comes in its place. */
function cellAt(
  cell: Pick<HullCell, 'id' | 'name'>,
  moves: readonly Move[],
  at: number,
  goes: 'replace' | 'deleting' = 'replace',
): HullCell {
  const move = moves.findLast(({ from }) => from <= at)
  const next = moves.find(({ from }) => from > at)
  if (!move) {
    if (!next) return { ...cell, mark: 'up-to-date' }
    if (next.work === 'create') return { ...cell, mark: 'new', ...(cell.id === null ? {} : { moving: true }) }
    return { ...cell, mark: next.work === 'delete' ? goes : 'in-place' }
  }
  const over = at >= move.to
  if (move.work === 'update') return { ...cell, mark: 'in-place', ...(over ? { done: true } : { moving: true }) }
  if (move.work === 'delete') return { ...cell, mark: 'deleting', ...(over ? { done: true } : { moving: true }) }
  return over ? { ...cell, mark: 'up-to-date', done: true } : { ...cell, mark: 'new', moving: true }
}
