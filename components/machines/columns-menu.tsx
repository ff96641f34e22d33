'use client'

import { useRouter } from 'next/navigation'
import { DropdownMenu } from 'radix-ui'
import type { ComponentProps } from 'react'
import { COLUMN_WORDS, COLUMNS, columnsOf, USUAL, type Column, type ColumnPickerProps } from './columns'

/** Open as soon as it is there: who fetched it wanted to see it. */
export default function ColumnsMenu({ shown, href, face }: ColumnPickerProps & { face: ComponentProps<'button'> }) {
  const router = useRouter()
  const columns = columnsOf(shown)
  const toggle = (column: Column) => {
    const next = COLUMNS.filter((c) => (c === column ? !columns.includes(c) : columns.includes(c)))
    const usual = next.length === 0 || next.join() === COLUMNS.filter((c) => USUAL.includes(c)).join()
    router.replace(href(usual ? null : next.join(',')), { scroll: false })
  }
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger {...face} />
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          className="z-30 min-w-40 rounded-md border border-line bg-panel p-1 shadow-[0_8px_24px_-12px_rgb(0_0_0/0.4)]"
        >
          {COLUMNS.map((column) => (
            <DropdownMenu.CheckboxItem
              key={column}
              checked={columns.includes(column)}
              onCheckedChange={() => toggle(column)}
              onSelect={(event) => event.preventDefault()}
              className="flex min-h-8 cursor-default items-center gap-2 rounded px-2 outline-none data-highlighted:bg-sunk"
            >
              <span aria-hidden className="w-4 text-center">
                {columns.includes(column) ? '✓' : ''}
              </span>
              {COLUMN_WORDS[column]}
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
