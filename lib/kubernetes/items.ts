import type { KubeObject } from './types'

/** A list answer without its items. */
export interface Envelope {
  apiVersion?: string
  kind?: string
  metadata?: { resourceVersion?: string; continue?: string }
}

const ITEMS = '"items":['
const MANAGED_FIELDS = Buffer.from('"managedFields":[')
const METADATA = '"metadata":{'
const OPEN_LIST = '['.charCodeAt(0)
const CLOSE_LIST = ']'.charCodeAt(0)
/** An item's first keys are short; after so many places that look like the end of an item and are not, the rest is read at once. */
const OPENING_BYTES = 300
const TRIES = 8

/**
 * Reads a list answer item by item, so that never more than one item's objects are made at once, and the event loop may
 * turn in between. Where an item ends is guessed by how the API server writes lists; JSON.parse says whether the guess was
 * right, because only a whole item is JSON. What is written in another way is read in one piece, with the same result.
 */
export function readList(
  page: Buffer,
  /** Leaves out what metadata.managedFields holds: more than half of many objects' bytes. */
  dropManagedFields = false,
): { envelope: Envelope; items: Iterable<KubeObject> } {
  const from = page.indexOf(ITEMS) + ITEMS.length
  const to = page.lastIndexOf(CLOSE_LIST)
  const around = from >= ITEMS.length && to >= from ? envelopeOf(page, from, to) : undefined
  if (around) return { envelope: around, items: pieces(page, from, to, dropManagedFields) }
  const whole = JSON.parse(page.toString('utf8')) as Envelope & { items?: KubeObject[] | null }
  return { envelope: whole, items: whole.items ?? [] }
}

function envelopeOf(page: Buffer, from: number, to: number): Envelope | undefined {
  const around = parsed<Envelope & { items?: unknown }>(page.toString('utf8', 0, from) + page.toString('utf8', to))
  return Array.isArray(around?.items) && around.items.length === 0 ? around : undefined
}

function* pieces(page: Buffer, from: number, to: number, drop: boolean): Generator<KubeObject> {
  const metadata = page.subarray(from, Math.min(to, from + OPENING_BYTES)).indexOf(METADATA)
  // Every item begins with these bytes, and hardly anything else does.
  const opening = Buffer.concat([Buffer.from(','), page.subarray(from, from + metadata + METADATA.length)])
  let at = from
  while (at < to) {
    let item: KubeObject | undefined
    let end = at
    for (let tries = 0; !item && end < to && tries < TRIES; tries++) {
      const next = metadata < 0 ? -1 : page.indexOf(opening, end + 1)
      end = next < 0 || next > to ? to : next
      item = read(page.subarray(at, end), drop)
    }
    if (!item) return yield* JSON.parse(`[${page.toString('utf8', at, to)}]`) as KubeObject[]
    yield item
    at = end + 1
  }
}

function read(bytes: Buffer, drop: boolean): KubeObject | undefined {
  return (drop && withoutManagedFields<KubeObject>(bytes, metadataOf)) || parsed<KubeObject>(bytes.toString('utf8'))
}

/**
 * Cuts from the list's bracket to the next closing one. With no other bracket opened in between, that closes this list, or
 * stands in a string: then a string is left open and it is no JSON. And it must have been the list of the item's own metadata.
 */
export function withoutManagedFields<T>(
  bytes: Buffer,
  metadataOf: (whole: T) => { managedFields?: unknown[] } | undefined,
): T | undefined {
  const from = bytes.indexOf(MANAGED_FIELDS) + MANAGED_FIELDS.length
  if (from < MANAGED_FIELDS.length) return undefined
  const to = bytes.indexOf(CLOSE_LIST, from)
  if (to < 0 || bytes.subarray(from, to).includes(OPEN_LIST)) return undefined
  const whole = parsed<T>(bytes.toString('utf8', 0, from) + bytes.toString('utf8', to))
  return whole && metadataOf(whole)?.managedFields?.length === 0 ? whole : undefined
}

const metadataOf = (object: KubeObject) => object.metadata

function parsed<T>(json: string): T | undefined {
  try {
    return JSON.parse(json) as T
  } catch {
    return undefined
  }
}
