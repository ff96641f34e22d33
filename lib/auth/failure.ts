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

/** What the browser may know about a failure. An unknown error is logged under an id, and only the id goes out. */
export function failure(error: unknown, where: string): Failure {
  if (error instanceof ServiceError) return { code: error.code, message: error.message, ...error.more }
  const id = randomUUID().slice(0, 8)
  log().error({ err: error, id, where }, 'unexpected error')
  if (isDatabaseDown(error)) {
    return {
      code: 'unavailable',
      message: 'Drydock’s database does not answer.',
      hint: `Whether it was done is not known: look, then try again. If it stays, the log has it under ${id}.`,
    }
  }
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
])

function isDatabaseDown(error: unknown): boolean {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (DOWN.has(String((e as { code?: unknown }).code))) return true
    if (/Can't reach database server|Connection terminated|ECONNREFUSED/.test(e.message)) return true
  }
  return false
}
