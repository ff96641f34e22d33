import clsx from 'clsx'
import type { ReactNode } from 'react'
import { CodeBlock } from './code'

/** Nothing to show: say so, and what to do next. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: ReactNode
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="grid justify-items-start gap-2 rounded-lg border border-dashed border-line-strong px-5 py-8">
      <p className="text-md font-medium text-pretty">{title}</p>
      {children && <div className="max-w-[72ch] text-ink-2">{children}</div>}
      {action}
    </div>
  )
}

export interface Problem {
  /** `unavailable`: there was no answer, so what stands below is not the API server's. */
  code?: string
  message: string
  hint?: string
  /** The API server's own words. */
  answer?: string | null
}

/** What went wrong: our sentence, what to do, and below it the API server's own words. Nothing where nothing did. */
export function ErrorState({
  error,
  action,
  className,
}: {
  error: Problem | null | undefined
  action?: ReactNode
  className?: string
}) {
  if (!error) return null
  return (
    <div
      role="alert"
      className={clsx('grid gap-1.5 rounded-md border border-blocked/40 bg-blocked-soft px-4 py-3', className)}
    >
      <p className="font-medium text-pretty">
        <span aria-hidden className="mr-1.5 text-blocked">
          ✕
        </span>
        {error.message}
      </p>
      {error.hint && <p className="text-ink-2">{error.hint}</p>}
      {error.answer && <Answer said={error.code === 'unavailable' ? 'In detail:' : undefined}>{error.answer}</Answer>}
      {action && <div className="mt-1 flex gap-2">{action}</div>}
    </div>
  )
}

/** Verbatim, and said to be verbatim. */
export function Answer({ children, said = 'The API server answered:' }: { children: string; said?: string }) {
  return (
    <div className="mt-1">
      <p className="text-sm text-ink-2">{said}</p>
      <CodeBlock text={children} wrap />
    </div>
  )
}

/** A bar in the place of a text that is not there yet. Give it the text's width. */
export function Skeleton({
  width = '100%',
  height = 12,
  className,
}: {
  width?: number | string
  height?: number
  className?: string
}) {
  return <span aria-hidden className={clsx('skeleton inline-block max-w-full', className)} style={{ width, height }} />
}

/** Rows of the real table's height, while it loads. */
export function SkeletonRows({ rows = 8, widths }: { rows?: number; widths: (number | string)[] }) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden>
      {widths.map((width, i) => (
        <td key={i}>
          <Skeleton width={width} />
        </td>
      ))}
    </tr>
  ))
}
