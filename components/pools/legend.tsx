import { wordsOf, type HullCount } from '@/lib/domain/hull'

/** The marks of a pool's hull in words that fit nodes. */
const wordsFor = (c: HullCount): string => {
  if (c.mark === 'failed' && !c.moving) return 'degraded'
  if (c.mark === 'in-place') return c.moving ? 'under way' : 'to be updated'
  if (c.mark === 'untouched') return 'kept by the pause'
  if (c.mark === 'not-ready') return 'out of work'
  return wordsOf(c)
}

export function PoolLegend({ counts }: { counts: HullCount[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-2">
      {counts.map((c) => (
        <li key={`${c.mark}/${c.moving}`} className="inline-flex items-center gap-1.5">
          <i aria-hidden className="cell cell-sample" data-mark={c.mark} data-moving={c.moving || undefined} />
          {c.count.toLocaleString('en-GB')} {wordsFor(c)}
        </li>
      ))}
    </ul>
  )
}
