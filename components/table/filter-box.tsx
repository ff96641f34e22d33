'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'

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
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The URL changed by other means (a chip, a facet, the back button): it wins over what stands here.
  if (seen !== value) {
    setSeen(value)
    setText(value)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const go = (next: string) => {
    setSeen(next.trim())
    router.replace(href(next.trim()), { scroll: false })
  }
  return (
    <input
      type="search"
      data-filter
      value={text}
      placeholder={placeholder}
      aria-label={`Filter: ${placeholder}`}
      aria-keyshortcuts="/"
      aria-describedby={describedBy}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => {
        const next = event.target.value
        setText(next)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => go(next), 250)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
        if (event.key !== 'Enter') return
        clearTimeout(timer.current)
        go(text)
      }}
      className={`input max-w-full max-phone:w-full ${mono ? 'w-[26rem] font-mono text-sm' : 'w-72'}`}
    />
  )
}
