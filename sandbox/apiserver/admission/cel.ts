import { Environment } from '@marcbachmann/cel-js'
import type { Json } from '../../../lib/domain/json'
import { isObject } from '../schema'
import { withMapLiterals } from './literals'

interface Optional {
  hasValue(): boolean
  value(): unknown
}

const isOptional = (value: unknown): value is Optional =>
  typeof value === 'object' && value !== null && 'hasValue' in value && typeof value.hasValue === 'function'

function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isOptional(a) && isOptional(b))
    return a.hasValue() === b.hasValue() && (!a.hasValue() || equal(a.value(), b.value()))
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]))
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b || Array.isArray(b)) return false
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const keys = Object.keys(x)
  return keys.length === Object.keys(y).length && keys.every((key) => key in y && equal(x[key], y[key]))
}

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
})
  // Kubernetes compares optionals: `object.spec.?rollout.after != oldObject.spec.?rollout.after`.
  .registerOperator('optional == optional', (a: unknown, b: unknown) => equal(a, b))
  .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
    text.replaceAll(from, to),
  )
  // For the keys of JSONPatch paths: "~1" for a slash.
  .registerFunction('escapeKey(string): string', (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1'))

type Program = (context: Record<string, unknown>) => unknown
const programs = new Map<string, Program>()

/** A compiled expression. Throws when it is none. */
function compile(expression: string): Program {
  const known = programs.get(expression)
  if (known) return known
  const source = withMapLiterals(expression).replaceAll('jsonpatch.escapeKey(', 'escapeKey(')
  const program = environment.parse(source) as Program
  if (programs.size > 1000) programs.clear()
  programs.set(expression, program)
  return program
}

const converted = new WeakMap<object, unknown>()

/** JSON as CEL sees it: whole numbers are ints. Objects of the store never change, so this is done once for each. */
export function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  const known = converted.get(value)
  if (known) return known
  const out = Array.isArray(value)
    ? value.map(toCel)
    : Object.fromEntries(
        Object.entries(value).flatMap(([key, part]) => (part === undefined ? [] : [[key, toCel(part)]])),
      )
  converted.set(value, out)
  return out
}

/** The way back; absent optionals leave no entry. */
export function fromCel(value: unknown): Json | undefined {
  if (isOptional(value)) return value.hasValue() ? fromCel(value.value()) : undefined
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.flatMap((item) => fromCel(item) ?? (item === null ? [null] : []))
  if (value instanceof Map) return fromCel(Object.fromEntries(value))
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) => {
        const json = fromCel(part)
        return json === undefined ? [] : [[key, json]]
      }),
    )
  return value as Json
}

export const evaluate = (expression: string, context: Record<string, unknown>): unknown => compile(expression)(context)
