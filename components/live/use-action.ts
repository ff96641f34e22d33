'use client'

import { useEffect, useRef, useState, useTransition } from 'react'
import type { ActionResult } from '@/lib/auth'

export type Failed = Extract<ActionResult<unknown>, { ok: false }>['error']
type Kept<T> = { value: T | null; error: Failed | null }

export interface Acting<Input, T> extends Kept<T> {
  run(input: Input): void
  pending: boolean
  reset(): void
}

const NOTHING = { value: null, error: null }
const UNANSWERED: Failed = {
  code: 'unavailable',
  message: 'Drydock does not answer.',
  hint: 'Whether it heard the question is not known: look at what is shown, then try again.',
}

/** The answer to a call; a server that cannot be reached is an answer, too. */
async function ask<Input, T>(call: (input: Input) => Promise<ActionResult<T>>, input: Input): Promise<Kept<T>> {
  try {
    const result = await call(input)
    return result.ok ? { value: result.value, error: null } : { value: null, error: result.error }
  } catch {
    return { value: null, error: UNANSWERED }
  }
}

/** Calls a server action when told to, and keeps what the last call answered; `onDone` runs after a success. */
export function useAction<Input, T>(
  call: (input: Input) => Promise<ActionResult<T>>,
  onDone?: (value: T) => void,
): Acting<Input, T> {
  const [state, setState] = useState<Kept<T>>(NOTHING)
  const [pending, start] = useTransition()
  const latest = useRef(0)
  const run = (input: Input) =>
    start(async () => {
      const mine = ++latest.current
      const kept = await ask(call, input)
      if (mine !== latest.current) return
      setState(kept)
      if (kept.value !== null) onDone?.(kept.value)
    })
  const reset = () => {
    latest.current++
    setState(NOTHING)
  }
  return { run, pending, ...state, reset }
}

export interface Asked<T> extends Kept<T> {
  /** What is shown does not answer the newest input yet. */
  pending: boolean
  again(): void
}

/** Asks a server action about what is typed, a moment after the last key; an overtaken answer is dropped. */
export function useAsked<Input, T>(call: (input: Input) => Promise<ActionResult<T>>, input: Input): Asked<T> {
  const asked = JSON.stringify(input)
  const [round, setRound] = useState(0)
  const key = `${round} ${asked}`
  const [answer, setAnswer] = useState<Kept<T> & { key: string }>({ ...NOTHING, key: '' })
  useEffect(() => {
    let over = false
    const timer = setTimeout(() => {
      void ask(call, JSON.parse(asked) as Input).then((kept) => !over && setAnswer({ ...kept, key }))
    }, 200)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [call, asked, key])
  return { value: answer.value, error: answer.error, pending: answer.key !== key, again: () => setRound((n) => n + 1) }
}
