'use client'

import { useState, useSyncExternalStore } from 'react'

const never = () => () => undefined
const nothing = () => null

/** What was typed and not saved, in this tab: it outlives leaving the page, and a reload. Null: nothing, or it cannot be kept. */
export function useKept(key: string): string | null {
  // Read once: what is typed from then on is known to whoever types it.
  const [read] = useState(() => once(() => sessionStorage.getItem(key)))
  return useSyncExternalStore(never, read, nothing)
}

function once(read: () => string | null): () => string | null {
  let kept: { value: string | null } | undefined
  return () => (kept ??= { value: tried(read) ?? null }).value
}

/** Null: nothing is typed that is not saved. */
export const keep = (key: string, typed: string | null): void =>
  void tried(() => (typed === null ? sessionStorage.removeItem(key) : sessionStorage.setItem(key, typed)))

/** A browser may refuse to keep anything. */
function tried<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
