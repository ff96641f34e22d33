/** The few ways in which a verb can fail; transports map them, unknown errors never leak their text. */
export const CODES = {
  'signed-out': 401,
  forbidden: 403,
  'not-found': 404,
  invalid: 422,
  conflict: 409,
  refused: 502,
  unavailable: 503,
  internal: 500,
} as const
export type ErrorCode = keyof typeof CODES

export interface FieldProblem {
  field: string
  message: string
}

/** An expected failure: `message` is a sentence for people, `hint` says what to do, `answer` is the API server's own text. */
export class ServiceError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly more: { hint?: string; answer?: string; fields?: FieldProblem[] } = {},
  ) {
    super(message)
    this.name = 'ServiceError'
  }
}
