import type { Json } from '../../lib/domain/json'
import type { Cause } from './status'

/** A structural schema as CustomResourceDefinitions carry it; the sandbox serves it as it stands. */
export interface Schema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  description?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema
  items?: Schema
  required?: string[]
  enum?: Json[]
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  default?: Json
  nullable?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
}

export const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without fields that the schema does not know (their paths go to `unknown`), and without nulls where none may be. */
export function prune(value: Json, schema: Schema | undefined, unknown: string[], path = ''): Json {
  if (!schema) return value
  if (Array.isArray(value)) {
    const items = schema.items
    if (!items) return value
    const out = value.map((item, i) => prune(item, items, unknown, `${path}[${i}]`))
    return out.some((item, i) => item !== value[i]) ? out : value
  }
  if (!isObject(value)) return value
  const { properties, additionalProperties } = schema
  // An object in place of a text or a number has no field that is known; one that is only called an object has any.
  if (!properties && !additionalProperties && (!schema.type || schema.type === 'object')) return value
  let out = value
  const change = () => (out === value ? (out = { ...value }) : out)
  for (const [key, field] of Object.entries(value)) {
    const known = properties?.[key] ?? additionalProperties
    const at = path ? `${path}.${key}` : key
    if (!known) {
      if (schema['x-kubernetes-preserve-unknown-fields']) continue
      unknown.push(at)
      delete change()[key]
    } else if (field === null && !known.nullable && known.type) delete change()[key]
    else {
      const after = prune(field, known, unknown, at)
      if (after !== field) change()[key] = after
    }
  }
  return out
}

const defaulting = new WeakMap<Schema, boolean>()
function hasDefaults(schema: Schema): boolean {
  const known = defaulting.get(schema)
  if (known !== undefined) return known
  const parts = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]
  const found = parts.some((part) => part.default !== undefined || hasDefaults(part))
  defaulting.set(schema, found)
  return found
}

/** With the schema's defaults filled in. Returns the same value where nothing was missing. */
export function withDefaults(value: Json, schema: Schema | undefined): Json {
  if (!schema || !hasDefaults(schema)) return value
  if (Array.isArray(value)) {
    if (!schema.items) return value
    const out = value.map((item) => withDefaults(item, schema.items))
    return out.some((item, i) => item !== value[i]) ? out : value
  }
  if (!isObject(value)) return value
  let out = value
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    const before = value[key]
    const after = withDefaults(before === undefined ? (field.default ?? null) : before, field)
    if (before === undefined && field.default === undefined) continue
    if (after !== before) out = { ...out, [key]: after }
  }
  return out
}

const nameOf = (value: Json) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

const quote = (value: Json) => JSON.stringify(value)

const unfit = (name: string, format: string) =>
  `Invalid value: "": Checked value must be of type integer with format ${format} in ${name}`

const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

const patterns = new Map<string, RegExp>()
const matches = (pattern: string, value: string) => {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known.test(value)
}

/** Reasons that hide the rules behind the schema, as upstream does. */
export const BLOCKING = new Set([
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
])

/** `name`: what the value is called in a text, where that is not its path. */
export function validate(
  value: Json,
  schema: Schema | undefined,
  path = '',
  causes: Cause[] = [],
  name = path,
): Cause[] {
  if (!schema) return causes
  const bad = (reason: string, message: string, field = path) => causes.push({ reason, field, message })
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof value !== 'string' && !Number.isInteger(value))
      bad(
        'FieldValueTypeInvalid',
        `Invalid value: ${quote(nameOf(value))}: ${name} in body must be of type integer,string: ${quote(nameOf(value))}`,
      )
    else if (typeof value === 'string' && schema.pattern && !matches(schema.pattern, value))
      bad('FieldValueInvalid', `Invalid value: ${quote(value)}: ${name} in body should match '${schema.pattern}'`)
    return causes
  }
  const type = nameOf(value)
  if (schema.type && type !== schema.type && !(schema.type === 'number' && type === 'integer')) {
    if (value === null && schema.nullable) return causes
    const half = schema.format && schema.type === 'integer' && typeof value === 'number'
    const [is, wanted] = half ? ['float64', schema.format] : [type, schema.type]
    bad('FieldValueTypeInvalid', `Invalid value: "${is}": ${name} in body must be of type ${wanted}: "${is}"`)
    if (half) bad('FieldValueInvalid', unfit(name, String(wanted)), '<nil>')
    checkChoice(value, schema, bad)
    return causes
  }
  if (!checkChoice(value, schema, bad)) return causes
  if (typeof value === 'string') checkString(value, schema, name, bad)
  if (typeof value === 'number') {
    if (schema.format === 'int32' && Math.abs(value) > 2 ** 31 - 1)
      bad('FieldValueInvalid', unfit(name, 'int32'), '<nil>')
    if (schema.minimum !== undefined && value < schema.minimum)
      bad(
        'FieldValueInvalid',
        `Invalid value: ${value}: ${name} in body should be greater than or equal to ${schema.minimum}`,
      )
    if (schema.maximum !== undefined && value > schema.maximum)
      bad(
        'FieldValueInvalid',
        `Invalid value: ${value}: ${name} in body should be less than or equal to ${schema.maximum}`,
      )
  }
  if (Array.isArray(value)) checkList(value, schema, { path, name }, causes, bad)
  else if (isObject(value)) checkObject(value, schema, { path, name }, causes, bad)
  return causes
}

type Bad = (reason: string, message: string, field?: string) => void

/** Where a value is, and what it is called. */
interface At {
  path: string
  name: string
}

function checkChoice(value: Json, schema: Schema, bad: Bad): boolean {
  if (!schema.enum || schema.enum.some((one) => one === value)) return true
  const supported = schema.enum.map(quote).join(', ')
  bad('FieldValueNotSupported', `Unsupported value: ${quote(value)}: supported values: ${supported}`)
  return false
}

function checkString(value: string, schema: Schema, name: string, bad: Bad) {
  if (schema.maxLength !== undefined && [...value].length > schema.maxLength) {
    bad('FieldValueTooLong', `Too long: may not be more than ${schema.maxLength} bytes`)
    return
  }
  const short = schema.minLength !== undefined && [...value].length < schema.minLength
  if (short)
    bad(
      'FieldValueInvalid',
      `Invalid value: ${quote(value)}: ${name} in body should be at least ${schema.minLength} chars long`,
    )
  if (schema.format === 'byte' && !value)
    bad('FieldValueTypeInvalid', `Invalid value: "": ${name} in body must be of type byte: ""`)
  if (!short && schema.pattern && !matches(schema.pattern, value))
    bad('FieldValueInvalid', `Invalid value: ${quote(value)}: ${name} in body should match '${schema.pattern}'`)
  if (schema.format === 'date-time' && !DATE.test(value))
    bad(
      'FieldValueTypeInvalid',
      `Invalid value: ${quote(value)}: ${name} in body must be of type date-time: ${quote(value)}`,
    )
}

function checkList(value: Json[], schema: Schema, { path, name }: At, causes: Cause[], bad: Bad) {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    bad(
      'FieldValueInvalid',
      `Invalid value: ${value.length}: ${name} in body should have at least ${schema.minItems} items`,
    )
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    bad('FieldValueTooMany', `Too many: ${value.length}: must have at most ${schema.maxItems} items`)
  value.forEach((item, i) => validate(item, schema.items, `${path}[${i}]`, causes, `${name}[${i}]`))
  const kind = schema['x-kubernetes-list-type']
  if (kind !== 'map' && kind !== 'set') return
  const seen = new Map<string, number>()
  value.forEach((item, i) => {
    if (kind === 'map' && item === null) return
    if (kind === 'map' && !isObject(item)) {
      const why = 'must be an object for an array of list-type map'
      bad('FieldValueInvalid', `Invalid value: ${quote(item)}: ${why}`, `${path}[${i}]`)
      return
    }
    const text = JSON.stringify(kind === 'map' && isObject(item) ? keysOf(item, schema) : item)
    const times = (seen.get(text) ?? 0) + 1
    // Said once, however often it is there.
    if (times === 2) bad('FieldValueDuplicate', `Duplicate value: ${text}`, `${path}[${i}]`)
    seen.set(text, times)
  })
}

/** The fields that name an item of a list map, in alphabetical order. */
export function keysOf(item: Record<string, Json>, schema: Schema): Record<string, Json> {
  const keys = [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort()
  return Object.fromEntries(keys.map((key) => [key, item[key] ?? schema.items?.properties?.[key]?.default ?? null]))
}

function checkObject(value: Record<string, Json>, schema: Schema, { path, name }: At, causes: Cause[], bad: Bad) {
  for (const key of schema.required ?? [])
    if (value[key] === undefined) bad('FieldValueRequired', 'Required value', path ? `${path}.${key}` : key)
  if (schema.minProperties !== undefined && Object.keys(value).length < schema.minProperties)
    bad(
      'FieldValueInvalid',
      `Invalid value: ${Object.keys(value).length}: ${name} in body should have at least ${schema.minProperties} properties`,
    )
  for (const [key, field] of Object.entries(value)) {
    const known = schema.properties?.[key] ?? schema.additionalProperties
    if (known) validate(field, known, path ? `${path}.${key}` : key, causes, name ? `${name}.${key}` : key)
  }
}
