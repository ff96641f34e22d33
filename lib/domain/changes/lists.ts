import type { Json } from '../json'
import { canonical, isObject, same } from './canonical'

// By which Kubernetes and kubeadm tell the items of a list apart.
const KEYS = ['name', 'path', 'key', 'mountPath', 'device', 'id']
/** Of these, what nobody takes for a credential: it is shown as it is. */
export const SHOWN = KEYS.filter((key) => key !== 'key' && key !== 'id')

/** By what the items of all of these lists can be told apart; undefined: by nothing. */
export const keyOf = (lists: Json[][]): string | undefined =>
  KEYS.find((candidate) =>
    lists.every((list) => {
      const names = list.map((item) => (isObject(item) ? item[candidate] : undefined))
      return names.every((name) => typeof name === 'string') && new Set(names).size === names.length
    }),
  )

/** A name for each item that stays the same while the rest of the item changes; items that have none are their value. */
function named(lists: Json[][]): (item: Json) => string {
  const key = keyOf(lists)
  return (item) => (key && isObject(item) ? String(item[key]) : canonical(item))
}

/** The items by name; equal ones are counted. */
function index(list: Json[], nameOf: (item: Json) => string): Map<string, Json> {
  const seen = new Map<string, number>()
  return new Map(
    list.map((item) => {
      const name = nameOf(item)
      const n = (seen.get(name) ?? 0) + 1
      seen.set(name, n)
      return [`${n} ${name}`, item]
    }),
  )
}

/**
 * Whether a value is on the way from current to desired: each part of it is what it was or what it shall be. Of a list,
 * items may have been added, removed and moved that shall be, and nothing else; they are matched by what names them, or
 * else by their place.
 */
export function between(current: Json | undefined, next: Json | undefined, desired: Json | undefined): boolean {
  if (same(next, current) || same(next, desired)) return true
  if (same(current, desired)) return false
  if (isObject(next)) {
    const [before, wanted] = [current, desired].map((side) => (isObject(side) ? side : {}))
    const keys = new Set([...Object.keys(before!), ...Object.keys(next), ...Object.keys(wanted!)])
    return [...keys].every((key) => between(before![key], next[key], wanted![key]))
  }
  if (!Array.isArray(next)) return false
  const [before, wanted] = [current, desired].map((side) => (Array.isArray(side) ? side : []))
  return byName(before!, next, wanted!) || byPlace(before!, next, wanted!)
}

function byPlace(current: Json[], next: Json[], desired: Json[]): boolean {
  if (next.length !== current.length && next.length !== desired.length) return false
  return next.every((item, i) => between(current[i], item, desired[i]))
}

function byName(current: Json[], next: Json[], desired: Json[]): boolean {
  const nameOf = named([current, next, desired])
  const [before, there, wanted] = [current, next, desired].map((list) => index(list, nameOf)) as [
    Map<string, Json>,
    Map<string, Json>,
    Map<string, Json>,
  ]
  const known = [...there].every(
    ([name, item]) => (before.has(name) || wanted.has(name)) && between(before.get(name), item, wanted.get(name)),
  )
  const kept = [...before.keys()].every((name) => !wanted.has(name) || there.has(name))
  return known && kept && (inOrder(there, before) || inOrder(there, wanted))
}

/** Whether those that both have follow each other in the same order. */
function inOrder(there: Map<string, Json>, side: Map<string, Json>): boolean {
  const places = new Map([...side.keys()].map((name, i) => [name, i]))
  const seen = [...there.keys()].flatMap((name) => places.get(name) ?? [])
  return seen.every((place, i) => i === 0 || seen[i - 1]! < place)
}
