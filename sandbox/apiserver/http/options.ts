import type { IncomingMessage } from 'node:http'
import { StatusError, type Cause } from '../status'
import type { FieldValidation, Form } from '../storage/prepare'
import { isTrue } from './request'

export interface WriteOptions {
  dryRun: boolean
  validation: FieldValidation
  force: boolean
  manager: string
}

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn']
const KINDS: Record<string, string> = { POST: 'CreateOptions', PUT: 'UpdateOptions', PATCH: 'PatchOptions' }
const quoted = (values: string[]) => values.map((value) => JSON.stringify(value)).join(', ')

/** How a write is meant, from its query. Refused as upstream refuses what it does not know. */
export function writeOptions(request: IncomingMessage, query: URLSearchParams, form: Form): WriteOptions {
  const dryRun = query.getAll('dryRun')
  const manager = query.get('fieldManager')
  const validation = query.get('fieldValidation') ?? ''
  const force = isTrue(query.get('force'))
  const kind = KINDS[request.method ?? '']
  const causes: Cause[] = []
  const bad = (reason: string, field: string, message: string) => causes.push({ reason, message, field })
  if (dryRun.some((value) => value !== 'All' && value !== ''))
    bad('FieldValueNotSupported', 'dryRun', `Unsupported value: [${quoted(dryRun)}]: supported values: "All"`)
  if (form === 'apply' && !manager)
    bad('FieldValueRequired', 'fieldManager', 'Required value: is required for apply patch')
  if (force && form !== 'apply' && kind === 'PatchOptions')
    bad('FieldValueForbidden', 'force', 'Forbidden: may not be specified for non-apply patch')
  if (manager && manager.length > 128)
    bad('FieldValueTooLong', 'fieldManager', 'Too long: may not be more than 128 bytes')
  const at = [...(manager ?? '')].findIndex((letter) => !/\P{C}/u.test(letter))
  if (manager && at >= 0) bad('FieldValueInvalid', 'fieldManager', unprintable(manager, at))
  if (!VALIDATIONS.includes(validation))
    bad(
      'FieldValueNotSupported',
      'fieldValidation',
      `Unsupported value: ${JSON.stringify(validation)}: supported values: ${quoted(VALIDATIONS)}`,
    )
  if (kind && causes.length) throw refused(kind, causes)
  const agent = (request.headers['user-agent'] ?? '').split('/')[0] || 'unknown'
  return {
    dryRun: dryRun.includes('All'),
    validation: (validation || 'Warn') as FieldValidation,
    ...{ force, manager: manager || agent },
  }
}

const GO_ESCAPES: Record<string, string> = { '\u0007': '\\a', '\b': '\\b', '\f': '\\f', '\v': '\\v' }

function unprintable(manager: string, at: number): string {
  const letters = [...manager]
  const text = letters.map((letter) => GO_ESCAPES[letter] ?? JSON.stringify(letter).slice(1, -1)).join('')
  const code = letters[at]!.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `Invalid value: "${text}": invalid character U+${code} (at position ${at})`
}

function refused(kind: string, causes: Cause[]): StatusError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`)
  const what = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const details = { group: 'meta.k8s.io', kind, causes }
  return new StatusError(422, 'Invalid', `${kind}.meta.k8s.io "" is invalid: ${what}`, details)
}
