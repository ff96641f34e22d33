import type { Json } from '../json'
import { isObject, same } from './canonical'
import { below, pathKeys, walk } from './diff'
import { keyOf, SHOWN } from './lists'
import { partOf, type Revision } from './revision'
import { secretIn, tells } from './secrets'
import type { FieldChange } from './types'

/** A change, and the keys that lead to it from where the reader is. */
interface Part {
  change: FieldChange
  keys: (string | number)[]
}

/**
 * The changes as a person reads them: what came into a list or left it, and what changed of an item, by what names the item
 * and not by its place. Lists whose items have no name are read place by place. What counts (fingerprints, coverage) is
 * taken from `changesBetween`, which these are made of.
 */
export function changesByName(changes: readonly FieldChange[], current: Revision, desired: Revision): FieldChange[] {
  // Most changes are of no list: nothing is compared for those.
  if (!changes.some((change) => change.path.includes('[') || cameWhole(change))) return [...changes]
  return (['machine', 'infrastructure', 'bootstrap'] as const).flatMap((object) => {
    const parts = changes
      .filter((change) => change.object === object)
      .map((change) => ({ change, keys: pathKeys(change.path) }))
    return read(parts, '', partOf(current, object), partOf(desired, object))
  })
}

function read(parts: Part[], path: string, current: Json | undefined, desired: Json | undefined): FieldChange[] {
  const came = parts.some(({ change, keys }) => keys.length === 0 && cameWhole(change))
  const before = came ? [] : current
  const lists = Array.isArray(before) && Array.isArray(desired) ? ([before, desired] as const) : null
  const names = lists && namesOf(path, ...lists)
  if (lists && names && !same(names[0], names[1])) {
    const whole = asItems(parts, path, lists, names)
    if (whole) return whole
  }
  return [...byKey(parts)].flatMap(([key, those]) => {
    if (key === undefined) return those.map(({ change }) => ({ ...change, path }))
    const at = (side: Json | undefined) => (side as Record<string | number, Json> | undefined)?.[key]
    const name = names && isObject(lists![0][0]) && typeof key === 'number' ? names[0][key] : undefined
    return read(those, name === undefined ? below(path, key) : item(path, name), at(current), at(desired))
  })
}

/**
 * A list of objects that was not there, with a credential in it: item by item, what is masked says what it is called. Of
 * texts, one alone may not tell what they are together: those stay whole.
 */
const cameWhole = ({ current, desired }: FieldChange): boolean =>
  current === undefined && Array.isArray(desired) && desired.length > 0 && desired.every(isObject) && secretIn(desired)

/** By the next key of their paths, in their order; undefined: they are about this very value. */
function byKey(parts: Part[]): Map<string | number | undefined, Part[]> {
  const found = new Map<string | number | undefined, Part[]>()
  for (const { change, keys } of parts) {
    const [key, ...rest] = keys
    const those = found.get(key) ?? []
    those.push({ change, keys: rest })
    found.set(key, those)
  }
  return found
}

const item = (path: string, name: string): string => `${path}[${JSON.stringify(name)}]`

type Sides<T> = readonly [T, T]

const PLAIN = /^[\w./:@-]{1,120}$/

/** What names the items of a list on either side; null: nothing that may be shown does. Texts are their own names. */
function namesOf(path: string, current: Json[], desired: Json[]): Sides<string[]> | null {
  const all = [...current, ...desired]
  if (all.every((value) => typeof value === 'string'))
    return [current, desired].every((list) => new Set(list).size === list.length)
      ? ([current, desired] as unknown as Sides<string[]>)
      : null
  const key = keyOf([current, desired])
  if (!key || !SHOWN.includes(key) || tells(path)) return null
  const of = (list: Json[]) => list.map((value) => (value as Record<string, string>)[key]!)
  const names = [of(current), of(desired)] as const
  return names.every((list) => list.every((name) => PLAIN.test(name) && !secretIn(name))) ? names : null
}

/** What came, went and changed of a list in which not the same stand in the same order. Null: better place by place. */
function asItems(
  parts: Part[],
  path: string,
  [current, desired]: Sides<Json[]>,
  [before, after]: Sides<string[]>,
): FieldChange[] | null {
  const [was, is] = [before, after].map((names) => new Map(names.map((name, i) => [name, i])))
  const stayed = (names: string[], other: Map<string, number>) => names.filter((name) => other.has(name))
  const reordered = !same(stayed(before, is!), stayed(after, was!))
  const texts = typeof (current[0] ?? desired[0]) === 'string'
  if (texts && (reordered || before.length === after.length)) return null
  const { object } = parts[0]!.change
  const label = (name: string, place: number) => (texts ? below(path, place) : item(path, name))
  const pairs = texts ? rewritten(before, after) : new Map<number, number>()
  const other = new Set(pairs.values())
  const went = before.flatMap((name, i) =>
    is!.has(name) || other.has(i) ? [] : [{ object, path: label(name, i), current: current[i]! }],
  )
  const rest = after.flatMap((name, i): FieldChange[] => {
    const place = was!.get(name) ?? pairs.get(i)
    if (place === undefined) return [{ object, path: label(name, i), desired: desired[i]! }]
    return walk(object, label(name, i), current[place], desired[i])
  })
  const order = reordered ? [{ object, path, current: [...before], desired: [...after] }] : []
  const by = coveredBy(parts)
  return [...went, ...rest, ...order].map((change) => (by ? { ...change, coveredBy: by } : change))
}

/** Long texts that came where one went, between the same others: most likely the same one, changed. By the place after. */
function rewritten(before: string[], after: string[]): Map<number, number> {
  const [went, came] = [longBetween(before, new Set(after)), longBetween(after, new Set(before))]
  return new Map(
    came.flatMap((those, part) =>
      those.flatMap((place, i) => {
        const from = went[part]?.[i]
        return from === undefined ? [] : [[place, from] as const]
      }),
    ),
  )
}

/** Where the long texts are that the other side has not, part by part between those that it has. */
function longBetween(names: string[], other: ReadonlySet<string>): number[][] {
  const parts: number[][] = [[]]
  names.forEach((name, i) => {
    if (other.has(name)) parts.push([])
    else if (name.includes('\n')) parts.at(-1)!.push(i)
  })
  return parts
}

/** Of a list that moved nobody knows item by item who covers it: whoever covers all of it does. */
function coveredBy(parts: Part[]): string | undefined {
  const names = new Set(parts.map(({ change }) => change.coveredBy))
  return names.has(undefined) ? undefined : [...names].join(', ')
}
