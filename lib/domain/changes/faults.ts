import type { Json, JsonObject } from '../json'
import { isObject, same, valueAt } from './canonical'
import { below } from './diff'
import { between } from './lists'
import { documentOf, patchesOf, revisionOf, SLOTS, specPath, type Question } from './patches'
import type { ChangedObject } from './types'

const PARTS = ['machine', 'infrastructure', 'bootstrap'] as const
const MOST = 5

type Found = Map<string, 'unasked' | 'otherwise' | 'unchanged'>

const WORDS = {
  unasked: (fields: string) => `it changes what nobody asked for (${fields})`,
  otherwise: (fields: string) => `it changes to something else than what is wanted (${fields})`,
  unchanged: (fields: string) => `it says that it changes what it leaves as it is (${fields})`,
}

/**
 * What is wrong with an updater's answer: fields that it touches though they did not differ, that it brings to another
 * value than the desired one, or that it claims and leaves as they are. Field names only, no values. Empty: nothing is.
 * An answer that covers only some of what differs is a good one.
 */
export function faultsOf(
  hook: Question,
  sides: { current: JsonObject; next: JsonObject; desired: JsonObject },
  answer: JsonObject,
): string[] {
  const found: Found = new Map()
  const [current, next, desired] = [sides.current, sides.next, sides.desired].map((side) => revisionOf(hook, side))
  for (const part of PARTS) judge(found, part, '', current![part], next![part], desired![part])
  for (const [part, patch] of patchesOf(hook, sides.current, answer)) {
    const specs = (side: JsonObject): Json | undefined => side[SLOTS[hook][part]]
    const document = documentOf(patch)
    if (document === undefined) continue
    for (const path of claimed(document, specs(sides.current))) {
      const keys = path.slice(specPath(hook).length)
      // A whole spec is what the updater would leave, whatever of it that is; a field is a promise.
      if (keys.length === 0 || !same(path.slice(0, -keys.length), specPath(hook)) || reference(part, keys)) continue
      const [before, after, wanted] = [sides.current, sides.next, sides.desired].map((s) => valueAt(specs(s), ...path))
      if (same(before, after) && !same(before, wanted)) {
        const name = `${part}: ${keys.reduce((at, key) => below(at, key), '')}`
        if (!found.has(name)) found.set(name, 'unchanged')
      }
    }
  }
  return (['unasked', 'otherwise', 'unchanged'] as const).flatMap((kind) => {
    const names = [...found].filter(([, of]) => of === kind).map(([name]) => name)
    const more = names.length > MOST ? `, and ${names.length - MOST} more` : ''
    return names.length > 0 ? [WORDS[kind](names.slice(0, MOST).join(', ') + more)] : []
  })
}

// Which template a Machine was cloned from: never compared.
const reference = (part: ChangedObject, [first]: string[]): boolean =>
  part === 'machine' && (first === 'infrastructureRef' || first === 'bootstrap')

/** Every value of `next` is either what it was or what it shall be; all that is neither is written down. */
function judge(
  found: Found,
  part: ChangedObject,
  path: string,
  current: Json | undefined,
  next: Json | undefined,
  desired: Json | undefined,
): void {
  if (same(next, current) || same(next, desired)) return
  const name = `${part}: ${path || 'spec'}`
  if (isObject(next) && (isObject(current) || isObject(desired))) {
    const [before, wanted] = [current, desired].map((side) => (isObject(side) ? side : {}))
    const keys = new Set([...Object.keys(before!), ...Object.keys(next), ...Object.keys(wanted!)])
    for (const key of keys) judge(found, part, below(path, key), before![key], next[key], wanted![key])
    return
  }
  if (same(current, desired)) return void found.set(name, 'unasked')
  if (Array.isArray(next) && between(current, next, desired)) return
  found.set(name, 'otherwise')
}

/** The places that a patch sets or removes, down to the last object: what lies in a list is the list's. */
function claimed(document: Json, object: Json | undefined): string[][] {
  if (!Array.isArray(document)) return leaves(document)
  return document.flatMap((operation) => {
    if (!isObject(operation) || operation.op === 'test' || typeof operation.path !== 'string') return []
    const keys = operation.path.split('/').slice(1)
    const path = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const inList = path.findIndex((_, i) => Array.isArray(valueAt(object, ...path.slice(0, i))))
    return [inList < 0 ? path : path.slice(0, inList)]
  })
}

const leaves = (value: Json): string[][] =>
  isObject(value) ? Object.entries(value).flatMap(([key, v]) => leaves(v).map((rest) => [key, ...rest])) : [[]]
