import clsx from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

/** Rows of 32 px under a header that stays. On a narrow screen it scrolls sideways inside itself, never the page. */
export function Table({
  label,
  stack,
  children,
  className,
  ...rest
}: ComponentProps<'table'> & {
  label: string
  /** On a phone its rows become cards; for tables with more columns than a phone has room for. */
  stack?: boolean
}) {
  return (
    <div className="table-scroll">
      <table {...rest} aria-label={label} className={clsx('grid-table', stack && 'table-stack', className)}>
        {children}
      </table>
    </div>
  )
}

type Sort = 'ascending' | 'descending' | 'none'

/** A heading; with `sort` and `href` or `onSort` also the control that sorts by it. */
export function Th({
  children,
  num,
  wide,
  sort,
  onSort,
  className,
  ...rest
}: ComponentProps<'th'> & {
  num?: boolean
  /** Left out on a phone. */
  wide?: boolean
  sort?: Sort
  onSort?(): void
}) {
  return (
    <th scope="col" {...rest} aria-sort={sort} className={clsx(num && 'num', wide && 'max-phone:hidden', className)}>
      {onSort ? (
        <button type="button" onClick={onSort} className="inline-flex items-center gap-1 hover:text-ink">
          {children}
          <span aria-hidden className={sort === 'none' ? 'opacity-0' : ''}>
            {sort === 'descending' ? '↓' : '↑'}
          </span>
        </button>
      ) : (
        children
      )}
    </th>
  )
}

export function Td({ num, wide, className, ...rest }: ComponentProps<'td'> & { num?: boolean; wide?: boolean }) {
  return <td {...rest} className={clsx(num && 'num', wide && 'max-phone:hidden', className)} />
}

/** A row; `data-row` makes it one that `j`, `k` and `Enter` move over. Enter follows its first link. */
export function Tr({ children, selected, ...rest }: ComponentProps<'tr'> & { selected?: boolean }) {
  return (
    <tr data-row {...rest} aria-selected={selected}>
      {children}
    </tr>
  )
}

/** Names and values, one pair a line. */
export function Facts({ items }: { items: [ReactNode, ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_minmax(0,1fr)] items-baseline gap-x-4 max-phone:grid-cols-[fit-content(36%)_minmax(0,1fr)] gap-y-1">
      {items.map(([name, value], i) => (
        <div key={i} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
