'use client'

import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useEffect, useRef, type ReactNode } from 'react'
import { getJson } from '@/components/live'
import type { Shell as ShellData } from '@/lib/services/fleet/get-shell'
import { Account, type Person } from './account'
import { Keyboard } from './keyboard'
import { Mark } from './mark'
import { isHere, PLACES } from './nav'
import { PaletteButton } from './palette-button'
import { ScopePicker, useScopedHref } from './scope'
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

function Rail({ waiting }: { waiting: ShellData['waiting'] }) {
  const path = usePathname()
  const scoped = useScopedHref()
  const bar = useRef<HTMLElement>(null)
  // On a phone it scrolls sideways: where one is stands in sight.
  useEffect(() => {
    const here = bar.current?.querySelector<HTMLElement>('[aria-current]')
    if (bar.current && here) bar.current.scrollLeft = here.offsetLeft - (bar.current.clientWidth - here.offsetWidth) / 2
  }, [path])
  return (
    <nav
      ref={bar}
      aria-label="Pages"
      className="sticky top-0 flex h-dvh flex-col gap-px border-r border-line px-2 py-3.5 max-phone:fixed max-phone:inset-x-0 max-phone:top-auto max-phone:bottom-0 max-phone:z-30 max-phone:h-auto max-phone:flex-row max-phone:overflow-x-auto max-phone:border-t max-phone:border-r-0 max-phone:bg-panel max-phone:px-1 max-phone:py-1 max-phone:pb-[max(4px,env(safe-area-inset-bottom))]"
    >
      <Link
        href={scoped('/')}
        className="mb-3 flex items-center gap-2 px-2 py-0.5 text-[14px] font-semibold tracking-tight max-phone:hidden"
      >
        <Mark />
        Drydock
      </Link>
      {PLACES.map(({ href, label, count }) => {
        const here = isHere(href, path)
        const n = count ? waiting[count] : 0
        return (
          <Link
            key={href}
            href={scoped(href)}
            aria-current={here ? 'page' : undefined}
            className={clsx(
              'flex min-h-[30px] items-center justify-between gap-1.5 rounded-md px-2 max-phone:relative max-phone:min-h-12 max-phone:shrink-0 max-phone:grow max-phone:justify-center max-phone:gap-1 max-phone:px-0.5 max-phone:text-[11px]',
              here ? 'bg-sunk font-medium text-ink' : 'text-ink-2 hover:bg-sunk/60 hover:text-ink',
            )}
          >
            {label}
            {n > 0 && (
              <span className="rounded-full bg-needs-soft px-1.5 text-xs font-medium text-needs-ink max-phone:absolute max-phone:top-0.5 max-phone:right-0.5 max-phone:px-1 max-phone:text-[10px]">
                {n}
                <span className="sr-only"> waiting for you</span>
              </span>
            )}
          </Link>
        )
      })}
    </nav>
  )
}
