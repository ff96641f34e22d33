import type { JsonObject } from '../../lib/domain/json'

/** One thing wrong with an object. `message` begins as upstream writes it: "Invalid value: …", "Required value". */
export interface Cause {
  reason?: string
  field?: string
  message: string
}

export interface StatusBody {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: JsonObject
  status: 'Failure'
  message: string
  reason: string
  details?: {
    name?: string
    group?: string
    kind?: string
    uid?: string
    causes?: Cause[]
    retryAfterSeconds?: number
  }
  code: number
}

/** What the API server answers instead of an object. */
export class StatusError extends Error {
  readonly status: StatusBody
  readonly code: number

  constructor(code: number, reason: string, message: string, details?: StatusBody['details']) {
    super(message)
    this.name = 'StatusError'
    this.code = code
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details ? { details } : {}),
      code,
    }
  }
}

interface Named {
  group: string
  plural: string
}

const qualified = (r: Named) => (r.group ? `${r.plural}.${r.group}` : r.plural)

const detailsOf = (r: Named, name: string) => ({
  ...(name ? { name } : {}),
  ...(r.group ? { group: r.group } : {}),
  kind: r.plural,
})

export const notFound = (r: Named, name: string) =>
  new StatusError(404, 'NotFound', `${qualified(r)} "${name}" not found`, detailsOf(r, name))

export const alreadyExists = (r: Named, name: string) =>
  new StatusError(409, 'AlreadyExists', `${qualified(r)} "${name}" already exists`, detailsOf(r, name))

export const conflict = (
  r: Named,
  name: string,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(r)} "${name}": ${why}`,
    detailsOf(r, name),
  )

export const forbidden = (r: Named, name: string, why: string) =>
  new StatusError(
    403,
    'Forbidden',
    `${qualified(r)}${name ? ` "${name}"` : ''} is forbidden: ${why}`,
    detailsOf(r, name),
  )

export const badRequest = (message: string) => new StatusError(400, 'BadRequest', message)

export const expired = (message: string) => new StatusError(410, 'Expired', message)

const line = (cause: Cause) => (cause.field !== undefined ? `${cause.field}: ${cause.message}` : cause.message)

/** 422 with its causes: one sentence, or a list in brackets. */
export function invalid(r: Named & { kind: string }, name: string, causes: Cause[]): StatusError {
  const texts = [...new Set(causes.map(line))]
  const what = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new StatusError(422, 'Invalid', `${r.group ? `${r.kind}.${r.group}` : r.kind} "${name}" is invalid: ${what}`, {
    ...(name ? { name } : {}),
    ...(r.group ? { group: r.group } : {}),
    kind: r.kind,
    causes: causes.map(({ reason, message, field }) => ({ reason, message, field })),
  })
}

export const NOT_CHECKED: Cause = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}
