'use client'

import clsx from 'clsx'
import Link from 'next/link'
import { DropdownMenu } from 'radix-ui'
import type { ComponentProps } from 'react'
import { isHere, PLACES } from './nav'
import { useScopedHref } from './scope'

/** Open as soon as it is there: who fetched it wanted to see it. */
export default function MoreMenu({ path, face }: { path: string; face: ComponentProps<'button'> }) {
  const scoped = useScopedHref()
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger {...face} />
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          side="top"
          sideOffset={8}
          className="z-50 min-w-44 rounded-md border border-line bg-panel p-1 shadow-[0_8px_24px_-12px_rgb(0_0_0/0.4)]"
        >
          {PLACES.filter(({ thumb }) => !thumb).map(({ href, label }) => {
            const here = isHere(href, path)
            return (
              <DropdownMenu.Item key={href} asChild>
                <Link
                  href={scoped(href)}
                  aria-current={here ? 'page' : undefined}
                  className={clsx(
                    'flex min-h-11 items-center rounded px-3 outline-none data-highlighted:bg-sunk',
                    here && 'font-medium',
                  )}
                >
                  {label}
                </Link>
              </DropdownMenu.Item>
            )
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
