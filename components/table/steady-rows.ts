'use client'

import { useState, type FocusEvent } from 'react'

/**
 * Rows that change their contents at once but not their places while somebody points at them: nobody clicks on what
 * slipped under the pointer. `listKey` names the list (filter, sort, page): another list comes in its own order.
 */
export function useSteadyRows<T extends { id: string }>(fresh: T[], listKey: string) {
  const [held, setHeld] = useState(false)
  const [order, setOrder] = useState({ listKey, ids: fresh.map((row) => row.id) })
  const ids = fresh.map((row) => row.id)
  const moved = ids.length !== order.ids.length || ids.some((id, i) => id !== order.ids[i])
  const follow = order.listKey !== listKey || (moved && !held)
  if (follow) setOrder({ listKey, ids })
  const byId = new Map(fresh.map((row) => [row.id, row]))
  const kept = (follow ? ids : order.ids).flatMap((id) => byId.get(id) ?? [])
  const keptIds = new Set(kept.map((row) => row.id))
  return {
    rows: [...kept, ...fresh.filter((row) => !keptIds.has(row.id))],
    waiting: !follow && moved,
    show: () => setOrder({ listKey, ids }),
    hold: {
      onMouseEnter: () => setHeld(true),
      onMouseLeave: () => setHeld(false),
      onFocus: () => setHeld(true),
      onBlur: (event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setHeld(false)
      },
    },
  }
}
