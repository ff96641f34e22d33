import { randomUUID } from 'node:crypto'
import { ServiceError, type ErrorCode, type FieldProblem } from '@/lib/services/errors'
import { log } from '../log'

export interface Failure {
  code: ErrorCode
  message: string
  hint?: string
  answer?: string
  fields?: FieldProblem[]
}

/** What was tried: something that may have been done; a look before that; what a page asks for, again and again by itself. */
export type Tried = 'deed' | 'look' | 'page'

const hints: Record<Tried, (id: string) => string> = {
  deed: (id) => `Whether it was done is not known: look, then try again. If it stays, the log has it under ${id}.`,
  look: (id) => `Nothing was done. What is held stays held; look again in a moment. The log has it under ${id}.`,
  page: (id) =>
    `What is shown may be old; it is asked again by itself. What is held stays held. The log has it under ${id}.`,
}

/** What the browser may know about a failure. An unknown error is logged under an id, and only the id goes out. */
export function failure(error: unknown, where: string, tried: Tried = 'deed'): Failure {
  if (error instanceof ServiceError) return { code: error.code, message: error.message, ...error.more }
  const id = randomUUID().slice(0, 8)
  log().error({ err: error, id, where }, 'unexpected error')
  if (isDatabaseDown(error))
    return { code: 'unavailable', message: 'Drydock’s database does not answer.', hint: hints[tried](id) }
  return {
    code: 'internal',
    message: 'Something in Drydock went wrong.',
    hint: `It is in Drydock’s log under ${id}.`,
  }
}

const DOWN = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P01',
  '57P03',
  '08006',
  'P1001',
  'P1002',
  'P1017',
  'DatabaseNotReachable',
  'ConnectionClosed',
])

/** Prisma wraps what the driver said in several ways; wherever it stands, it is looked for. */
export function isDatabaseDown(error: unknown, depth = 0): boolean {
  if (!(error instanceof Object) || depth > 5) return false
  const { code, kind, message, cause, meta } = error as Record<string, unknown>
  if (DOWN.has(String(code)) || DOWN.has(String(kind))) return true
  if (/Can't reach database server|Connection terminated|ECONNREFUSED|DatabaseNotReachable/.test(String(message)))
    return true
  const adapter = meta instanceof Object ? (meta as Record<string, unknown>).driverAdapterError : undefined
  return isDatabaseDown(cause, depth + 1) || isDatabaseDown(adapter, depth + 1)
}
