import { useEffect, useRef } from 'react'

/** Moves the focus to what a change brings, once: what is typed afterwards moves nobody. `to`: a selector. */
export function useNextFocus(changes: unknown): (to: string) => void {
  const next = useRef<string | null>(null)
  useEffect(() => {
    if (next.current !== null) document.querySelector<HTMLElement>(next.current)?.focus()
    next.current = null
  }, [changes])
  return (to) => {
    next.current = to
  }
}
