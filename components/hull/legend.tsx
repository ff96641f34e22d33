import { wordsOf, type HullCount } from '@/lib/domain/hull'

/** What the marks of this hull mean, with how many there are. */
export function HullLegend({ counts }: { counts: HullCount[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-2">
      {counts.map((c, i) => (
        <li key={i} className="inline-flex items-center gap-1.5">
          <i
            aria-hidden
            className="cell cell-sample"
            data-mark={c.mark}
            data-done={c.done || undefined}
            data-moving={c.moving || undefined}
          />
          {c.count} {wordsOf(c)}
        </li>
      ))}
    </ul>
  )
}
