'use client'

import { useEffect } from 'react'

/**
 * What had the focus last, with all that stands around it, from the inside out; of what lies over the page (a sheet, a menu) then
 * what it was opened from. Noted while it is there: what is gone has no place any more.
 */
let trail: HTMLElement[] = []
/** Somebody clicked beside it: nothing that goes away then takes the focus along. */
let left = false

const OVER = '[role=dialog], [role=menu], [role=listbox]'
const CONTROL = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled)'
const PART = ':is(main, section, article, fieldset, form, [role=region], [role=group], [role=dialog])'
const HEADING = ':is(h1, h2, h3, legend)'

/** Keeps the focus where somebody works: what goes away while it has it hands it on to a place near by, which stays. */
export function useKeptFocus(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      const [last] = trail
      if (last && !left && isNowhere() && !(last.isConnected && last.checkVisibility())) focusNear()
    }
    // A moment later: what moves the focus by itself does that first.
    const seen = new MutationObserver(() => {
      if (isNowhere()) timer ??= setTimeout(look, 50)
    })
    const onPointer = () =>
      setTimeout(() => {
        left = isNowhere()
      })
    seen.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', note)
    document.addEventListener('pointerdown', onPointer)
    return () => {
      clearTimeout(timer)
      seen.disconnect()
      document.removeEventListener('focusin', note)
      document.removeEventListener('pointerdown', onPointer)
    }
  }, [])
}

/** To what had the focus last, and where that is gone, to the heading of what it stood in. */
export function focusNear(): void {
  const to = trail.map(placeAt).find((place) => place !== null) ?? document.querySelector<HTMLElement>('main')
  if (!to) return
  if (!to.matches(CONTROL)) to.tabIndex = -1
  to.focus({ preventScroll: true })
}

export const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body

function note({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement)) return
  left = false
  const around: HTMLElement[] = []
  for (let at: HTMLElement | null = target; at && at !== document.body; at = at.parentElement) around.push(at)
  const over = target.closest(OVER)
  const from = over ? trail.filter((at) => at.isConnected && !over.contains(at) && !around.includes(at)) : []
  trail = [...around, ...from]
}

function placeAt(at: HTMLElement): HTMLElement | null {
  if (!at.isConnected) return null
  if (at.matches(CONTROL)) return at.checkVisibility() ? at : null
  const headings = at.matches(PART) ? [...at.querySelectorAll<HTMLElement>(HEADING)] : []
  return headings.find((heading) => heading.checkVisibility()) ?? null
}
