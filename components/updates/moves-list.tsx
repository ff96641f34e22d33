import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { movesOf, type Move } from './moves'

const MARKS: Record<Move['what'], string> = {
  'in-place': 'in-place',
  replace: 'replace',
  new: 'new',
  stay: 'up-to-date',
}
const FEW = 12

/** Exactly which machines stay, go and come, one line each. */
export function MovesList({
  change,
  mode,
  short,
}: {
  change: UpdateDetail
  mode: 'in-place' | 'replace'
  /** The table below names them. */
  short?: boolean
}) {
  return (
    <ul className="grid gap-1">
      {movesOf(change, mode, change.machinesList).map(({ what, words, names }) => (
        <li key={what} className="flex items-baseline gap-2">
          <i aria-hidden className="cell cell-sample shrink-0" data-mark={MARKS[what]} />
          <span className="min-w-0 text-pretty">
            {words}
            {names.length > 0 && !short && (
              <span className="block font-mono text-sm break-words text-ink-3">
                {names.slice(0, FEW).join(', ')}
                {names.length > FEW && ` and ${names.length - FEW} more; the page’s table has them all`}
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
