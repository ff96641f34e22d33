import type { ErrorCode } from '@/lib/services/errors'
import type { Problem } from '@/components/ui/states'

/** What an API route answered instead of data; shown as it is. */
export class ApiProblem extends Error implements Problem {
  constructor(
    message: string,
    readonly code: ErrorCode | 'offline',
    readonly hint?: string,
    readonly answer?: string,
  ) {
    super(message)
  }
}

/** GET of one of our own routes, or an ApiProblem with its sentence. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, { signal, headers: { accept: 'application/json' } })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiProblem('Drydock does not answer.', 'offline', 'What you see may be old. It is tried again by itself.')
  }
  if (response.ok) return (await response.json()) as T
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

/** Any failure of a query, as the sentence that ErrorState shows. */
export const problemFrom = (error: unknown): Problem =>
  error instanceof ApiProblem ? error : { message: 'Something on this page went wrong.', hint: 'Reload it.' }
