'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useCallback } from 'react'

/** The address of this page with some of it changed; null takes away. */
export function useTo(): (changes: Record<string, string | null>) => string {
  const params = useSearchParams()
  const path = usePathname()
  return useCallback(
    (changes) => {
      const next = new URLSearchParams(params)
      for (const [key, value] of Object.entries(changes)) {
        if (value === null || value === '') next.delete(key)
        else next.set(key, value)
      }
      return next.size > 0 ? `${path}?${next}` : path
    },
    [params, path],
  )
}
