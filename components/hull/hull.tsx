import clsx from 'clsx'
import { binsOf, hullSentence, wordsOf, type HullData } from '@/lib/domain/hull'

/** The hull in a row: to look at. Its sentence is read out; the row's link opens what it shows. */
export function SmallHull({ data, held, className }: { data: HullData; held?: boolean; className?: string }) {
  if (data.total === 0) return <span className="text-sm text-ink-3">none</span>
  return (
    <span
      role="img"
      aria-label={hullSentence(data.counts)}
      className={clsx(
        'hull hull-small',
        (!data.cells || data.cells.length > 28) && 'hull-dense',
        held && 'hull-held',
        className,
      )}
    >
      {data.cells
        ? data.cells.map((cell, i) => (
            <span
              key={cell.id ?? i}
              className="cell"
              data-mark={cell.mark}
              data-done={cell.done || undefined}
              data-moving={cell.moving || undefined}
              title={`${cell.name}: ${cell.note ?? wordsOf(cell)}`}
            />
          ))
        : binsOf(data.counts, 32).map((bin, i) => (
            <span
              key={i}
              className="cell cell-bin"
              data-mark={bin.mark}
              data-done={bin.done || undefined}
              title={`${bin.count} ${wordsOf(bin)}`}
            />
          ))}
    </span>
  )
}
