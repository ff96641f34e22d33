'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { getJson } from '@/components/live'
import { useKeptFocus } from '@/components/ui/focus'
import type { Shell as ShellData } from '@/lib/services/fleet/get-shell'
import { Account, type Person } from './account'
import { Keyboard } from './keyboard'
import { PaletteButton } from './palette-button'
import { Rail } from './rail'
import { ScopePicker } from './scope'
import { StaleLine } from './stale-line'

export interface ShellProps {
  initial: ShellData
  person: Person
  theme: string
  signOut(): Promise<void>
  children: ReactNode
}

/** What stands round every page. */
export function Shell({ initial, person, theme, signOut, children }: ShellProps) {
  useKeptFocus()
  const { data } = useQuery({
    queryKey: ['clusters', 'shell'],
    queryFn: ({ signal }) => getJson<ShellData>('/api/shell', signal),
    initialData: initial,
    meta: { topics: ['changes', 'boot-images', 'streams'] },
    refetchInterval: 15_000, // a worker that died announces nothing
  })
  return (
    <div className="grid min-h-dvh grid-cols-[176px_minmax(0,1fr)] max-phone:block max-phone:pb-16">
      <a href="#page" className="btn fixed top-1 left-1 z-50 -translate-y-16 focus:translate-y-0">
        To the page
      </a>
      <Rail waiting={data.waiting} />
      <div className="min-w-0">
        <header className="sticky top-0 z-20 flex h-11 items-center gap-2 border-b border-line bg-paper px-6 max-phone:h-12 max-phone:px-3">
          <ScopePicker clusters={data.clusters.map((c) => c.name)} workloads={data.workloads} />
          <span className="grow" />
          <PaletteButton />
          <Account person={person} theme={theme} signOut={signOut} />
        </header>
        <StaleLine clusters={data.clusters} />
        <main id="page" tabIndex={-1} className="px-6 pt-5 pb-12 outline-none max-phone:px-3.5">
          {children}
        </main>
      </div>
      <Keyboard />
    </div>
  )
}
