import type { Json } from '../json'
import { isObject } from './canonical'
import { maskedText, pathKeys, type Digest } from './diff'
import { SHOWN } from './lists'
import { partOf, type Revision } from './revision'
import { maskedAnswer, withoutKeys, withoutSecrets } from './secret-text'
import { hidden, hiddenAt, hides, MASK, tellingOf } from './telling'
import type { FieldChange } from './types'

export { MASK, maskedAnswer, withoutSecrets }

export function secretIn(value: Json | undefined): boolean {
  if (typeof value === 'string') return withoutSecrets(value) !== value
  if (Array.isArray(value)) return value.some(secretIn) || hasSecretArgument(value)
  return isObject(value) && Object.entries(value).some(([key, inner]) => hidden(value, key) || secretIn(inner))
}

/**
 * Texts that belong together. Of the arguments of a command, what a flag takes is a credential only together with the flag; of
 * the lines of a script, the rest of what one of them begins may stand in the next.
 */
function hasSecretArgument(list: Json[]): boolean {
  let known = withArguments.get(list)
  if (known === undefined) {
    const texts = list.filter((item) => typeof item !== 'object' || item === null).map(String)
    const together = texts.length > 1 && texts.length === list.length
    const flags = texts.some((item) => item.startsWith('-'))
    known = together && (texts.some(secretIn) || (flags && secretIn(texts.join(' '))))
    withArguments.set(list, known)
  }
  return known
}

/** Looked at once, for lists of thousands. */
const withArguments = new WeakMap<Json[], boolean>()

/** Whether what stands at and below a path counts as a credential by a word of the path. */
export const tells = (path: string): boolean =>
  pathKeys(path).some((key) => typeof key === 'string' && tellingOf(key) !== null)

/** Both sides that changes were made of, as they are compared. */
interface Sides {
  current: Revision
  desired: Revision
}

/** The items of a list by what may name them: made once, for lists of thousands. */
const byNames = new WeakMap<Json[], Map<string, Json>>()

function itemOf(list: Json[], name: string): Json | undefined {
  let known = byNames.get(list)
  if (!known) {
    known = new Map()
    for (const key of SHOWN)
      for (const item of list) {
        const named = isObject(item) ? item[key] : undefined
        if (typeof named === 'string' && !known.has(named)) known.set(named, item)
      }
    byNames.set(list, known)
  }
  return known.get(name)
}

const inside = (value: Json | undefined, key: string | number): Json | undefined => {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : itemOf(value, key)
  return isObject(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined
}

/** Whether a key on the way to what changed, or the name beside it, tells. In a list by name, a name is no key. */
function onTheWay({ path, ...change }: FieldChange, parts: (Json | undefined)[]): boolean {
  const keys = pathKeys(path)
  let at = parts
  return keys.some((key, i) => {
    const last = i === keys.length - 1
    const inList = typeof keys[i - 1] === 'number'
    const containers = at
    at = at.map((side) => inside(side, key))
    if (typeof key === 'number') return containers.some((side) => Array.isArray(side) && hasSecretArgument(side))
    if (containers.some(Array.isArray)) return false
    const given = last && [change.current, change.desired].some((value) => hides(key, value))
    return given || (hiddenAt(containers, key, inList) && !(last && saysNothing(change)))
  })
}

const saysNothing = ({ current, desired }: Pick<FieldChange, 'current' | 'desired'>): boolean =>
  [current, desired].every((value) => !hides('secret', value))

/**
 * Field changes of a pair as they may be stored and shown. Fingerprints are made before, from the real values. `digest`
 * is one under a key: a plain hash of a short password could be guessed. Without the sides, any value of a list's item
 * may be a credential: nobody knows what it is called.
 */
export function masked(changes: readonly FieldChange[], pair: string, digest: Digest, sides?: Sides): FieldChange[] {
  const parts = new Map<FieldChange['object'], (Json | undefined)[]>()
  const partsOf = ({ object }: FieldChange) => {
    const known = parts.get(object) ?? (sides ? [partOf(sides.current, object), partOf(sides.desired, object)] : [])
    parts.set(object, known)
    return known
  }
  return changes.map((change) => {
    const secret = secretIn(change.current) || secretIn(change.desired) || onTheWay(change, partsOf(change))
    if (!secret) return change
    return {
      ...change,
      secret: true,
      ...('current' in change ? { current: MASK } : {}),
      ...('desired' in change ? { desired: MASK, digest: digest(maskedText(pair, change, change.desired)) } : {}),
    }
  })
}

/** A hook body or an object for people: what stands under a telling key or name, and what looks like a credential, is masked. */
export function redacted(value: Json): Json {
  if (typeof value === 'string') return withoutSecrets(value) === value ? value : MASK
  if (Array.isArray(value)) return hasSecretArgument(value) ? value.map(() => MASK) : value.map(redacted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hidden(value, key) ? MASK : redacted(inner)]),
  )
}

/** Text of somebody else, for a message: credentials in it are masked, and it is short. */
export const safeText = (text: string, length = 300): string =>
  withoutSecrets(withoutKeys(text)).replace(/\s+/g, ' ').trim().slice(0, length)
