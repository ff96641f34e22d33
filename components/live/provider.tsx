'use client'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react'
import { follow, type LiveState } from './follow'

const Live = createContext<LiveState>({ connected: true, since: 0 })

/** Whether this page hears of changes, and since when it does not. */
export const useLive = (): LiveState => useContext(Live)

/** The query client of the tab and its one event stream: what changed on the server is fetched anew. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [client] = useState(
    () =>
      new QueryClient({
        // The stream says what is stale; time does not.
        defaultOptions: { queries: { staleTime: Infinity, refetchOnWindowFocus: false, retry: 2 } },
      }),
  )
  const [state, setState] = useState<LiveState>({ connected: true, since: 0 })
  useEffect(() => follow(client, setState), [client])
  return (
    <QueryClientProvider client={client}>
      <Live.Provider value={state}>{children}</Live.Provider>
    </QueryClientProvider>
  )
}
