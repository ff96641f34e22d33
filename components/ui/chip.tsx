import clsx from 'clsx'
import type { ReactNode } from 'react'
import { VERDICT_WORDS, type Verdict } from '@/lib/domain/verdict'

export type ChipTone = 'plain' | 'needs' | 'bad' | 'good' | 'in-place' | 'replace'

const TONES: Record<ChipTone, string> = {
  plain: 'bg-sunk text-ink-2',
  needs: 'bg-needs-soft text-needs-ink',
  bad: 'bg-blocked-soft text-blocked',
  good: 'bg-sunk text-done',
  // The colour alone has too little contrast for words of this size.
  'in-place': 'bg-in-place-soft text-ink [&>span[aria-hidden]]:text-in-place',
  replace: 'bg-replace-soft text-replace',
}
const MARKS: Record<ChipTone, string> = { plain: '', needs: '●', bad: '✕', good: '✓', 'in-place': '■', replace: '◪' }

/** A word of state. `needs` is for what waits for a person, and for nothing else. */
export function Chip({
  tone = 'plain',
  children,
  className,
}: {
  tone?: ChipTone
  children: ReactNode
  className?: string
}) {
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-1.5 rounded-full px-2 text-sm font-medium whitespace-nowrap',
        TONES[tone],
        className,
      )}
    >
      {MARKS[tone] && (
        <span aria-hidden className="text-[9px]">
          {MARKS[tone]}
        </span>
      )}
      {children}
    </span>
  )
}

/** A verdict with the mark that the hull gives it. `count` makes "12 in place" of it. */
export function VerdictChip({ verdict, count, children }: { verdict: Verdict; count?: number; children?: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-sm whitespace-nowrap">
      <i aria-hidden className="cell cell-sample" data-mark={verdict} />
      {children ?? (count === undefined ? VERDICT_WORDS[verdict] : `${count} ${VERDICT_WORDS[verdict]}`)}
    </span>
  )
}
