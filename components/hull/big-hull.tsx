'use client'

import clsx from 'clsx'
import { useRouter } from 'next/navigation'
import { useRef, useState, type KeyboardEvent } from 'react'
import { binsOf, hullSentence, wordsOf, type HullData } from '@/lib/domain/hull'

interface Item {
  key: string
  /** Of the machine that it opens. */
  id: string | null
  label: string
  name: string
  note: string
  text?: string
  mark: string
  done?: boolean
  moving?: boolean
}

/** One cell for each machine (bins above 200): hover or arrow keys name it, a click or Enter opens it. */
export function BigHull({
  data,
  held,
  of = 'Machines',
  open: opens,
}: {
  data: HullData
  held?: boolean
  /** Whose machines, for those who do not see it: a page may show them as they are, and as they would be. */
  of?: string
  /** What a click on a cell opens; without it, the machine. */
  open?(id: string): void
}) {
  const router = useRouter()
  const items: Item[] = itemsOf(data)
  const [at, setAt] = useState(0)
  const [shown, setShown] = useState<number | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const focused = Math.min(at, items.length - 1)
  const go = (to: number) => {
    const next = Math.max(0, Math.min(items.length - 1, to))
    setAt(next)
    box.current?.querySelectorAll('button')[next]?.focus()
  }
  const keys = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: focused + 1,
      ArrowLeft: focused - 1,
      Home: 0,
      End: items.length - 1,
    }
    const row = rowLength(box.current)
    const to = event.key === 'ArrowDown' ? focused + row : event.key === 'ArrowUp' ? focused - row : steps[event.key]
    if (to === undefined) return
    event.preventDefault()
    go(to)
  }
  const open = ({ id }: Item) => {
    if (!id) return
    if (opens) opens(id)
    else router.push(`/machines?machine=${id}`, { scroll: false })
  }
  const named = shown === null ? null : items[shown]
  if (items.length === 0) return <p className="text-ink-3">No machines.</p>
  return (
    <div>
      <p className="sr-only">{hullSentence(data.counts)}</p>
      <div
        ref={box}
        role="group"
        aria-label={`${of}. Arrow keys move along, Enter opens.`}
        className={clsx('hull', held && 'hull-held')}
        onKeyDown={keys}
        onMouseLeave={() => setShown(null)}
      >
        {items.map((item, i) => (
          <button
            key={item.key}
            type="button"
            tabIndex={i === focused ? 0 : -1}
            className={clsx('cell', item.text && 'cell-bin')}
            data-mark={item.mark}
            data-done={item.done || undefined}
            data-moving={item.moving || undefined}
            aria-label={item.label}
            onFocus={() => {
              setAt(i)
              setShown(i)
            }}
            onBlur={() => setShown(null)}
            onMouseEnter={() => setShown(i)}
            onClick={() => open(item)}
          >
            {item.text}
          </button>
        ))}
      </div>
      <p className="mt-1 min-h-5 text-sm text-ink-3" aria-hidden>
        {named ? (
          <>
            <span className="font-mono text-ink">{named.name}</span> {named.note}
          </>
        ) : (
          <span className="max-phone:hidden">Hover or use the arrow keys to name a machine.</span>
        )}
      </p>
    </div>
  )
}

function itemsOf(data: HullData): Item[] {
  if (data.cells)
    return data.cells.map((cell, i) => {
      const words = wordsOf(cell)
      const says = cell.note?.toLowerCase().startsWith(words.toLowerCase())
      const note = cell.note && !says ? `${words}: ${cell.note}` : (cell.note ?? words)
      return { ...cell, key: cell.id ?? `missing-${i}`, label: `${cell.name}: ${note}`, note }
    })
  return binsOf(data.counts).map((bin, i) => {
    const note = wordsOf(bin)
    return {
      ...bin,
      key: String(i),
      id: null,
      name: `${bin.count}`,
      note,
      label: `${bin.count} machines: ${note}`,
      text: `${bin.count}`,
    }
  })
}

/** How many cells stand in the first line. */
function rowLength(box: HTMLElement | null): number {
  const cells = [...(box?.children ?? [])] as HTMLElement[]
  const top = cells[0]?.offsetTop
  const row = cells.findIndex((cell) => cell.offsetTop !== top)
  return row < 0 ? cells.length : row
}
