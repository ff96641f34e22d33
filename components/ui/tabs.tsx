import clsx from 'clsx'
import Link from 'next/link'

export interface TabItem {
  href: string
  label: string
  count?: number
  current: boolean
  /** The count waits for a person. */
  needs?: boolean
}

/** Tabs that are links: what is open stands in the URL. On a phone they take a second line before the page scrolls sideways. */
export function Tabs({ items, label }: { items: TabItem[]; label: string }) {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-x-4 border-b border-line max-phone:gap-x-3">
      {items.map((item) => (
        <Link
          key={item.href}
          href={item.href}
          scroll={false}
          aria-current={item.current ? 'page' : undefined}
          className={clsx(
            '-mb-px flex min-h-8 items-center gap-1.5 border-b-2 pb-1.5 pointer-coarse:min-h-11',
            item.current ? 'border-ink font-medium' : 'border-transparent text-ink-2 hover:text-ink',
          )}
        >
          {item.label}
          {item.count !== undefined && (
            <span
              className={clsx(
                'rounded-full px-1.5 text-xs',
                item.needs && item.count > 0 ? 'bg-needs-soft font-medium text-needs-ink' : 'bg-sunk text-ink-2',
              )}
            >
              {item.count.toLocaleString('en-GB')}
            </span>
          )}
        </Link>
      ))}
    </nav>
  )
}

/** Pages by key: forward and back to the top, because a list that lives has no page numbers. */
export function Pager({
  shown,
  total,
  next,
  top,
}: {
  shown: number
  total?: number
  next: string | null
  top: string | null
}) {
  if (!next && !top) return null
  return (
    <nav aria-label="Pages" className="mt-3 flex items-center gap-2 text-sm text-ink-3">
      {top && (
        <Link className="btn btn-small" href={top}>
          Back to the top
        </Link>
      )}
      {next && (
        <Link className="btn btn-small" href={next}>
          Next page
        </Link>
      )}
      <span>
        {total === undefined
          ? `${shown} on this page`
          : `${shown} on this page, ${total.toLocaleString('en-GB')} in all`}
      </span>
    </nav>
  )
}
