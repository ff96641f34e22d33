import type { Json, JsonObject } from '../../../lib/domain/json'
import { isObject } from '../../apiserver/schema'
import { mergePatch, same } from '../../apiserver/storage/values'
import type { Reply } from './server'

/** What a server answered, without what is another at every run. */
export interface Answer {
  code: number
  warnings?: string[]
  /** Of a refusal. */
  reason?: string
  message?: string
  details?: JsonObject
  /** Of a write: fields of spec and status that are others than before, as "spec.x"; null where one is gone. */
  becomes?: JsonObject
  /** Whether a new version was stored; "dry" answers have none. */
  stored?: boolean
  /** By how much the generation rose. */
  generation?: number
  /** Of what is no MachineConfiguration: its kind, the names of a list, or whether something is allowed. */
  body?: Json
}

/** The stored object before the call; null: there is none. */
export type Before = JsonObject | null

const NONE: JsonObject = {}
const part = (object: Before, key: string): JsonObject => {
  const value = object?.[key]
  return isObject(value) ? value : NONE
}

/** A reply in a form in which two servers can be compared. `patch`: the body of a merge patch, where it was one. */
export function answerOf(reply: Reply, before: Before, patch?: Json): Answer {
  const { code, body } = reply
  const warnings = reply.warnings.length ? { warnings: [...reply.warnings].sort() } : {}
  if (body.kind === 'Status' && body.status !== 'Success') return { code, ...refusal(body, before, patch), ...warnings }
  if (body.kind !== 'MachineConfiguration') return { code, ...ofAnother(body), ...warnings }
  const was = part(before, 'metadata')
  const now = part(body, 'metadata')
  return {
    code,
    becomes: { ...changes('spec', before, body), ...changes('status', before, body), ...marks(was, now) },
    stored: now.resourceVersion !== was.resourceVersion,
    generation: Number(now.generation) - Number(was.generation ?? 0),
    ...warnings,
  }
}

function changes(of: 'spec' | 'status', before: Before, after: JsonObject): JsonObject {
  const [was, now] = [part(before, of), part(after, of)]
  const keys = [...new Set([...Object.keys(was), ...Object.keys(now)])].sort()
  const changed = keys.filter((key) => !same(was[key], now[key]))
  const whole = (before?.[of] === undefined) === (after[of] === undefined) ? {} : { [of]: after[of] ? 'there' : 'gone' }
  return { ...whole, ...Object.fromEntries(changed.map((key) => [`${of}.${key}`, sorted(now[key] ?? null)])) }
}

const marks = (was: JsonObject, now: JsonObject): JsonObject =>
  Object.fromEntries(
    ['labels', 'annotations'].flatMap((key) =>
      same(was[key], now[key]) ? [] : [[`metadata.${key}`, sorted(now[key] ?? null)] as const],
    ),
  )

interface Cause {
  reason?: string
  field?: string
  message?: string
}
const lineOf = ({ field, message }: Cause) => (field === undefined ? message : `${field}: ${message}`)

/**
 * A server looks at the fields of an object in no order, and so it says what is wrong with them: causes are sorted here,
 * and the message is kept without them.
 */
function refusal(body: JsonObject, before: Before, patch: Json | undefined): Partial<Answer> {
  const details = isObject(body.details) ? body.details : undefined
  const causes = (details?.causes ?? []) as unknown as Cause[]
  const inOrder = [...causes].sort((a, b) =>
    JSON.stringify([a.field, a.message]) < JSON.stringify([b.field, b.message]) ? -1 : 1,
  )
  const message = withoutCauses(String(body.message ?? ''), causes)
  const quoted = (text: string) => withoutObject(text, before, patch)
  return {
    reason: String(body.reason ?? ''),
    message: quoted(message),
    ...(details && {
      details: sorted({
        ...details,
        ...(details.causes === undefined
          ? {}
          : { causes: inOrder.map((cause) => ({ ...cause, message: quoted(cause.message ?? '') })) }),
      }) as JsonObject,
    }),
  }
}

/** Where a message ends with its causes, these are said by `…`: they are all there beside it, in their order. */
function withoutCauses(message: string, causes: Cause[]): string {
  const texts = [...new Set(causes.map(lineOf))]
  const said = texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}]`
  return texts.length && message.endsWith(`: ${said}`) ? `${message.slice(0, -said.length)}…` : message
}

const QUOTED = /Invalid value: ("(?:[^"\\]|\\.)*"): (?:strict decoding error|json: |Object )/
const MISSING_IN = /is missing in '(\{.*\})'/

/** Some refusals quote the whole object, moments and versions included. */
function withoutObject(text: string, before: Before, patch: Json | undefined): string {
  const wanted = patch === undefined ? null : content(mergePatch(before, patch))
  const is = (object: string) =>
    wanted !== null && same(content(JSON.parse(object) as Json), wanted) ? '<the object as patched>' : object
  const quoted = QUOTED.exec(text)?.[1]
  const shorter = quoted === undefined ? text : text.replace(quoted, () => is(JSON.parse(quoted) as string))
  const missing = MISSING_IN.exec(shorter)?.[1]
  return missing === undefined ? shorter : shorter.replace(missing, () => is(missing))
}

/** All but who wrote what when. */
function content(value: Json): JsonObject {
  const object = isObject(value) ? value : NONE
  if (!isObject(object.metadata)) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Keys in order, so that texts of objects can be compared. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key]!)]),
  )
}

/** Of what is no MachineConfiguration only this is of interest. */
function ofAnother(body: JsonObject): Partial<Answer> {
  if (body.kind === 'SelfSubjectAccessReview') return { body: { allowed: part(body, 'status').allowed ?? null } }
  if (Array.isArray(body.items))
    return { body: body.items.map((item) => part(item as JsonObject, 'metadata').name ?? null) }
  return { body: body.kind ?? body.text ?? null }
}
