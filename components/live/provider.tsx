'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react'
import { makeLive } from './client'
import type { LiveState } from './follow'

const Live = createContext<LiveState>({ connected: true, since: 0, heardAt: 0 })

/** Whether this page hears of changes, and since when it does not. */
export const useLive = (): LiveState => useContext(Live)

/** The query client of the tab and its one event stream: what changed on the server is fetched anew. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [live] = useState(makeLive)
  const [state, setState] = useState<LiveState>({ connected: true, since: 0, heardAt: 0 })
  useEffect(() => live.start(setState), [live])
  return (
    <QueryClientProvider client={live.client}>
      <Live.Provider value={state}>{children}</Live.Provider>
    </QueryClientProvider>
  )
}
