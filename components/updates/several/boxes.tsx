import { useEffect, useRef, type ReactNode } from 'react'
import type { Selection } from './use-selection'

const BOX = 'size-4 accent-(--ink) pointer-coarse:size-5'

/** The first cell of a row with a box before it. Shift chooses all rows from the last one on. */
export function SelectRow({
  id,
  name,
  selection,
  none = false,
  children,
}: {
  id: string
  name: string
  /** This row cannot be chosen: it stands in line with those that can. */
  none?: boolean
  /** Null: nothing can be chosen here. */
  selection: Pick<Selection, 'has' | 'set'> | null
  children: ReactNode
}) {
  if (!selection) return children
  if (none) return <div className="ml-[26px] min-w-0 pointer-coarse:ml-[36px]">{children}</div>
  return (
    <div className="flex items-start gap-2">
      <label className="-my-1 -mr-1 -ml-1.5 grid size-7 shrink-0 place-items-center pointer-coarse:-my-2 pointer-coarse:-ml-3 pointer-coarse:size-11">
        <input
          type="checkbox"
          data-select
          className={BOX}
          aria-label={`Select ${name}`}
          checked={selection.has(id)}
          onChange={(event) => {
            const { nativeEvent } = event
            selection.set(id, event.target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
          }}
        />
      </label>
      <div className="min-w-0">{children}</div>
    </div>
  )
}

/** All rows of this page, as many as may be chosen, or none. */
export function SelectAll({
  ids,
  most,
  selection,
}: {
  ids: readonly string[]
  most: number
  selection: Pick<Selection, 'has' | 'setAll'> & { chosen: readonly unknown[] }
}) {
  const box = useRef<HTMLInputElement>(null)
  const chosen = ids.filter((id) => selection.has(id)).length
  // Other pages keep theirs.
  const room = Math.max(0, most - (selection.chosen.length - chosen))
  const all = room > 0 && chosen === Math.min(ids.length, room)
  useEffect(() => {
    if (box.current) box.current.indeterminate = chosen > 0 && !all
  })
  return (
    <label className="-ml-1 inline-flex min-h-7 w-fit items-center gap-2 px-1 text-sm text-ink-2 pointer-coarse:min-h-11">
      <input
        ref={box}
        type="checkbox"
        className={BOX}
        checked={all}
        disabled={room === 0}
        onChange={(event) => selection.setAll(event.target.checked)}
      />
      {allWords(ids.length, room, most)}
    </label>
  )
}

/** What choosing all does, or why it does nothing. `room`: as many as may still be chosen on this page, with those that are. */
export function allWords(rows: number, room: number, most: number): string {
  if (room >= rows) return `Select all ${rows} on this page`
  if (room === most) return `Select the first ${most} on this page`
  return room > 0
    ? `Select ${room} of the ${rows} on this page: with those of other pages that makes ${most}, as many as are decided at once`
    : `None of this page can be selected: other pages have ${most}, as many as are decided at once`
}
