import type { ErrorCode } from '@/lib/services/errors'
import type { Problem } from '@/components/ui/states'

/** What an API route answered instead of data; shown as it is. */
class ApiProblem extends Error implements Problem {
  constructor(
    message: string,
    readonly code: ErrorCode | 'offline',
    readonly hint?: string,
    readonly answer?: string,
  ) {
    super(message)
  }
}

/** What takes longer hangs: a lost connection gives no answer, and no error either. */
const LONGEST_MS = 60_000

/** GET of one of our own routes, or an ApiProblem with its sentence. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(LONGEST_MS)
  const either = signal ? AbortSignal.any([signal, limit]) : limit
  let response: Response
  try {
    response = await fetch(path, { signal: either, headers: { accept: 'application/json' } })
    if (response.ok) return (await response.json()) as T
  } catch (error) {
    // What is no JSON was answered, by somebody else in front of it.
    if (signal?.aborted || error instanceof SyntaxError) throw error
    const words = limit.aborted ? 'Drydock has not answered for a minute.' : 'Drydock does not answer.'
    throw new ApiProblem(words, 'offline', 'What you see may be old. It is tried again by itself.')
  }
  const body = (await response.json().catch(() => null)) as {
    title?: string
    code?: ErrorCode
    detail?: string
    answer?: string
  } | null
  throw new ApiProblem(
    body?.title ?? `Drydock answered ${response.status}.`,
    body?.code ?? 'internal',
    body?.detail,
    body?.answer,
  )
}

/** It was not answered: it may be the next time. */
export const isUnanswered = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'offline'

/** Any failure of a query, as the sentence that ErrorState shows. */
export const problemFrom = (error: unknown): Problem =>
  error instanceof ApiProblem ? error : { message: 'Something on this page went wrong.', hint: 'Reload it.' }
