'use client'

import { startTransition, useState, type KeyboardEvent } from 'react'

/**
 * For a button whose menu, a tenth of a page's script, comes over the wire when somebody is about to open it. In a
 * transition: the button stays, and keeps its focus, until the menu takes its place.
 */
export function useLazyMenu(load: () => Promise<unknown>) {
  const [asked, setAsked] = useState(false)
  const ask = () => startTransition(() => setAsked(true))
  const near = () => void load().catch(() => {})
  const button = {
    type: 'button' as const,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': false,
    onPointerEnter: near,
    onFocus: near,
    onClick: ask,
    onKeyDown: (event: KeyboardEvent) => event.key === 'ArrowDown' && (event.preventDefault(), ask()),
  }
  return { asked, button }
}
