'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'

/** A text that filters the page through the URL, shortly after the last letter. `/` puts the cursor here. */
export function FilterBox({
  value,
  href,
  placeholder,
  mono,
  describedBy,
}: {
  value: string
  href(text: string): string
  placeholder: string
  mono?: boolean
  describedBy?: string
}) {
  const router = useRouter()
  // The browser keeps what stands here: letters typed before this page could listen are not lost.
  const box = useRef<HTMLInputElement>(null)
  const seen = useRef<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    const input = box.current
    if (!input || seen.current === value) return
    const first = seen.current === null
    seen.current = value
    // The URL changed by other means (a chip, a facet, the back button): it wins over what stands here.
    if (!first) input.value = value
    else if (input.value.trim() !== value) input.dispatchEvent(new Event('input', { bubbles: true }))
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const go = (next: string) => {
    clearTimeout(timer.current)
    seen.current = next.trim()
    router.replace(href(next.trim()), { scroll: false })
  }
  return (
    <input
      ref={box}
      type="search"
      data-filter
      defaultValue={value}
      placeholder={placeholder}
      aria-label={`Filter: ${placeholder}`}
      aria-keyshortcuts="/"
      aria-describedby={describedBy}
      spellCheck={false}
      autoComplete="off"
      onInput={(event) => {
        const next = event.currentTarget.value
        clearTimeout(timer.current)
        timer.current = setTimeout(() => go(next), 250)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
        if (event.key === 'Enter') go(event.currentTarget.value)
      }}
      className={`input max-w-full max-phone:w-full ${mono ? 'w-[26rem] font-mono text-sm' : 'w-72'}`}
    />
  )
}
