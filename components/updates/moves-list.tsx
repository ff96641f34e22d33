import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { movesOf, type Move } from './moves'

const MARKS: Record<Move['what'], string> = {
  'in-place': 'in-place',
  replace: 'replace',
  new: 'new',
  stay: 'up-to-date',
  gone: 'deleting',
  failed: 'failed',
}
const FEW = 3

/** Exactly which machines stay, go and come, one line each. */
export function MovesList({
  change,
  mode,
  short,
}: {
  change: Pick<UpdateDetail, 'groupKind' | 'outlook' | 'machinesList'>
  mode: 'in-place' | 'replace'
  /** The table below names them. */
  short?: boolean
}) {
  return (
    <ul className="grid gap-1">
      {movesOf(change, mode, change.machinesList).map(({ what, words, names }, i) => (
        <li key={`${what} ${i}`} className="flex items-baseline gap-2">
          <i aria-hidden className="cell cell-sample shrink-0" data-mark={MARKS[what]} />
          <span className="min-w-0 text-pretty">
            {words}
            {names.length > 0 && !short && <Names names={names} />}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Names({ names }: { names: string[] }) {
  const list = <span className="block font-mono text-sm break-words text-ink-3">{names.join(', ')}</span>
  if (names.length <= FEW) return list
  return (
    <details>
      <summary className="text-sm text-ink-3">Which {names.length}</summary>
      {list}
    </details>
  )
}
