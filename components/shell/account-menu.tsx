'use client'

import { DropdownMenu } from 'radix-ui'
import { useState, type ComponentProps } from 'react'
import type { AccountProps } from './account'

const THEMES = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]
const ITEM =
  'flex min-h-8 cursor-default items-center gap-2 rounded px-2 outline-none data-highlighted:bg-sunk pointer-coarse:min-h-11'

/** Open as soon as it is there: who fetched it wanted to see it. */
export default function AccountMenu({
  person,
  theme: initial,
  signOut,
  face,
}: AccountProps & { face: ComponentProps<'button'> }) {
  const [theme, setTheme] = useState(initial)
  const choose = (value: string) => {
    setTheme(value)
    // A cookie, so that the server's first byte already has it: no flash.
    document.cookie = `drydock.theme=${value}; path=/; max-age=31536000; samesite=lax`
    if (value === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = value
  }
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger {...face} />
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-52 rounded-md border border-line bg-panel p-1 shadow-[0_8px_24px_-12px_rgb(0_0_0/0.4)]"
        >
          <DropdownMenu.Label className="px-2 pt-1 pb-2">
            <span className="block font-medium">{person.name}</span>
            <span className="text-sm text-ink-3">{person.role}</span>
          </DropdownMenu.Label>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Label className="px-2 py-1 text-sm text-ink-3">Theme</DropdownMenu.Label>
          <DropdownMenu.RadioGroup value={theme} onValueChange={choose}>
            {THEMES.map(({ value, label }) => (
              <DropdownMenu.RadioItem
                key={value}
                value={value}
                className={ITEM}
                onSelect={(event) => event.preventDefault()}
              >
                <span className="w-4 text-center" aria-hidden>
                  {theme === value ? '✓' : ''}
                </span>
                {label}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item className={ITEM} onSelect={() => void signOut()}>
            <span className="w-4" />
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
