'use client'

import { useEffect, useSyncExternalStore } from 'react'

// One page is shown at a time.
let of: string | null = null
const listeners = new Set<() => void>()

function set(cluster: string | null): void {
  of = cluster
  for (const each of listeners) each()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Says of which management cluster the page is, where its address does not. */
export function useOfCluster(name: string): void {
  useEffect(() => {
    set(name)
    return () => set(null)
  }, [name])
}

/** By its name; null: of none, or its address says so. */
export const usePageCluster = (): string | null =>
  useSyncExternalStore(
    subscribe,
    () => of,
    () => null,
  )
