'use client'

import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { PLACES } from './nav'
import { moveRow, pickRow, pressRow } from './rows'
import { useScopedHref } from './scope'

const loadPalette = () => import('./palette').then((m) => m.Palette)
const Palette = dynamic(loadPalette, { ssr: false })
const KeysSheet = dynamic(() => import('./keys-sheet').then((m) => m.KeysSheet), { ssr: false })

/** Opens the palette or the list of keys from anywhere, also from a visible control. */
export const openOverlay = (which: 'palette' | 'keys'): boolean =>
  window.dispatchEvent(new CustomEvent('drydock:open', { detail: which }))

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !target.matches('[type=checkbox]')))

/** Nothing there that Enter would press: a heading has the focus where what had it is gone. */
const onNothing = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('body, main, :is(h1, h2, h3, legend)')

/** Every key; each is also a visible control somewhere. */
export function Keyboard() {
  const router = useRouter()
  const scoped = useScopedHref()
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  useEffect(() => {
    // After the page has settled: whoever presses Ctrl K types on at once.
    const timer = setTimeout(() => void loadPalette().catch(() => {}), 2500)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    let leader = 0
    const onOpen = (event: Event) => setOpen((event as CustomEvent<'palette' | 'keys'>).detail)
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        setOpen((was) => (was === 'palette' ? null : 'palette'))
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || typing(event.target)) return
      if (document.querySelector('[role=dialog][data-state=open]') && event.key !== '?') return
      const place = PLACES.find((p) => p.key === event.key)
      if (place && Date.now() - leader < 1200) {
        leader = 0
        event.preventDefault()
        return router.push(scoped(place.href))
      }
      leader = event.key === 'g' ? Date.now() : 0
      const act: Record<string, () => boolean> = {
        '/': () => focusFilter(),
        '?': () => (setOpen('keys'), true),
        j: () => moveRow(1),
        k: () => moveRow(-1),
        Enter: () => onNothing(event.target) && pressRow(),
        x: () => pickRow(event.shiftKey),
        X: () => pickRow(event.shiftKey),
        a: () => click('[data-key=a]'),
      }
      if (act[event.key]?.()) event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    window.addEventListener('drydock:open', onOpen)
    return () => {
      window.removeEventListener('keydown', onKey)
      window.removeEventListener('drydock:open', onOpen)
    }
  }, [router, scoped])
  if (open === 'palette') return <Palette onClose={() => setOpen(null)} />
  if (open === 'keys') return <KeysSheet onClose={() => setOpen(null)} />
  return null
}

function focusFilter(): boolean {
  const filter = document.querySelector<HTMLInputElement>('[data-filter]')
  filter?.focus()
  filter?.select()
  return filter !== null
}

function click(selector: string): boolean {
  const button = document.querySelector<HTMLElement>(selector)
  button?.click()
  return button !== null
}
