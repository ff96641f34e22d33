import clsx from 'clsx'
import type { ReactNode } from 'react'

/**
 * A name that gives way in its middle: its last characters tell machines apart. The whole name is there for readers,
 * for copying and on hover. Inline, all of it: between the items of a flex box a copy has the end of a line.
 */
export function MiddleTruncate({ text, tail = 8, className }: { text: string; tail?: number; className?: string }) {
  const cut = text.length > tail + 4 ? text.length - tail : text.length
  const kept = text.slice(cut)
  return (
    <span title={text} className={clsx('inline-block max-w-full min-w-0 font-mono text-sm whitespace-pre', className)}>
      <span
        className="inline-block overflow-hidden align-bottom text-ellipsis"
        style={{ maxWidth: `calc(100% - ${kept.length}ch)` }}
      >
        {text.slice(0, cut)}
      </span>
      {kept}
    </span>
  )
}

/** Never wraps, never loses a digit. */
export function Version({ children, was }: { children: string | null; was?: string | null }) {
  return (
    <span className="font-mono text-sm whitespace-nowrap">
      {was && (
        <>
          <span className="text-ink-3 line-through decoration-line-strong">
            <span className="sr-only">from </span>
            {was}
          </span>
          <span className="px-1.5 text-ink-3">
            <span aria-hidden>→</span>
            <span className="sr-only"> to </span>
          </span>
        </>
      )}
      {children ?? <span className="font-sans text-ink-3">no version</span>}
    </span>
  )
}

export const Kbd = ({ children }: { children: ReactNode }) => <kbd className="kbd">{children}</kbd>

/** A part of a page, with a thin line above it. */
export function Section({
  title,
  aside,
  children,
  id,
}: {
  title: ReactNode
  aside?: ReactNode
  children: ReactNode
  id?: string
}) {
  return (
    <section className="mt-6 border-t border-line pt-4" aria-labelledby={id}>
      <header className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={id}>{title}</h2>
        {aside && <span className="text-sm text-ink-3">{aside}</span>}
      </header>
      {children}
    </section>
  )
}

/** A few sentences under a heading of their own; without any, what that means. */
export function Sentences({ title, items, empty }: { title: ReactNode; items: readonly string[]; empty?: ReactNode }) {
  if (items.length === 0 && !empty) return null
  return (
    <section>
      <h3 className="font-medium">{title}</h3>
      {items.length === 0 ? (
        <p className="text-ink-2">{empty}</p>
      ) : (
        <ul className="mt-1 grid list-disc gap-1 pl-4 text-ink-2">
          {items.map((item) => (
            <li key={item} className="text-pretty wrap-anywhere">
              {item}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** "1 machine", "12 machines". */
export const count = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`
