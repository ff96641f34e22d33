'use client'

import { useState, useTransition } from 'react'
import type { ActionResult } from '@/lib/auth'

type Failed = Extract<ActionResult<unknown>, { ok: false }>['error']

export interface Acting<Input, T> {
  run(input: Input): void
  pending: boolean
  value: T | null
  error: Failed | null
  reset(): void
}

/** Calls a server action and keeps what it answered; `onDone` runs after a success. */
export function useAction<Input, T>(
  call: (input: Input) => Promise<ActionResult<T>>,
  onDone?: (value: T) => void,
): Acting<Input, T> {
  const [state, setState] = useState<{ value: T | null; error: Failed | null }>({ value: null, error: null })
  const [pending, start] = useTransition()
  const run = (input: Input) =>
    start(async () => {
      let result: ActionResult<T>
      try {
        result = await call(input)
      } catch {
        const error: Failed = {
          code: 'unavailable',
          message: 'Drydock does not answer.',
          hint: 'Nothing was lost: try again in a moment.',
        }
        return setState({ value: null, error })
      }
      if (!result.ok) return setState({ value: null, error: result.error })
      setState({ value: result.value, error: null })
      onDone?.(result.value)
    })
  return { run, pending, ...state, reset: () => setState({ value: null, error: null }) }
}
