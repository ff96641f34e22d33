'use client'

import { useSyncExternalStore } from 'react'
import { absoluteTime, ago, duration } from './time-words'

// One clock for the whole page; it runs only while something on the page shows a time.
let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
const current = () => now
const serverNow = () => (typeof window === 'undefined' ? Date.now() : now)

export const useNow = (): number => useSyncExternalStore(subscribe, current, serverNow)

type When = string | Date | null | undefined

/** "4 min ago", with the absolute time on hover. Ticks by itself. */
export function RelativeTime({ at, bare }: { at: When; bare?: boolean }) {
  const clock = useNow()
  if (!at) return <span className="text-ink-3">never</span>
  const date = new Date(at)
  return (
    <time
      dateTime={date.toISOString()}
      title={absoluteTime(date)}
      suppressHydrationWarning
      className="whitespace-nowrap"
    >
      {ago(date, clock, bare)}
    </time>
  )
}

/** Of what is meant as a day, and not as a moment of it. */
export function Day({ at }: { at: string | Date }) {
  const iso = new Date(at).toISOString()
  return (
    <time dateTime={iso} title={absoluteTime(new Date(at))} className="whitespace-nowrap">
      {iso.slice(0, 10)}
    </time>
  )
}

/** "4 min 10 s"; without an end it runs on. */
export function Duration({ from, to }: { from: When; to?: When }) {
  const clock = useNow()
  if (!from) return null
  const end = to ? new Date(to).getTime() : clock
  return (
    <span suppressHydrationWarning className="whitespace-nowrap">
      {duration(end - new Date(from).getTime())}
    </span>
  )
}
