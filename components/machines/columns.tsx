'use client'

import { DropdownMenu } from 'radix-ui'
import { useRouter } from 'next/navigation'

export const COLUMNS = ['cluster', 'group', 'node', 'version', 'phase', 'verdict', 'image', 'age', 'error'] as const
export type Column = (typeof COLUMNS)[number]
export const COLUMN_WORDS: Record<Column, string> = {
  cluster: 'cluster',
  group: 'group',
  node: 'node',
  version: 'version',
  phase: 'phase',
  verdict: 'verdict',
  image: 'boot image',
  age: 'age',
  error: 'state',
}
// A machine's name begins with its group's: the group has its room only where somebody asks for it.
const USUAL: Column[] = ['cluster', 'version', 'phase', 'verdict', 'age', 'error']

export const columnsOf = (text: string | null): Column[] => {
  const chosen = COLUMNS.filter((c) => text?.split(',').includes(c))
  return chosen.length > 0 ? chosen : USUAL
}

/** Which columns stand; the choice is in the URL. */
export function ColumnPicker({ shown, href }: { shown: string | null; href(cols: string | null): string }) {
  const router = useRouter()
  const columns = columnsOf(shown)
  const toggle = (column: Column) => {
    const next = COLUMNS.filter((c) => (c === column ? !columns.includes(c) : columns.includes(c)))
    const usual = next.length === 0 || next.join() === COLUMNS.filter((c) => USUAL.includes(c)).join()
    router.replace(href(usual ? null : next.join(',')), { scroll: false })
  }
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="btn btn-bare btn-small max-phone:hidden">Columns</DropdownMenu.Trigger>
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
