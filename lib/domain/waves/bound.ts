import { createHash } from 'node:crypto'
import { canonical } from '../changes/canonical'
import type { Selection, Wave } from '../policies'
import type { Json } from '../json'

/**
 * What somebody saw who said something about a wave: which groups are in it, by what the policy writes of them. That is its own
 * part and all before it, of which it takes what is left, in their order; not how long they soak, nor anything after it.
 */
export function boundOf(select: Selection, waves: readonly Wave[], index: number): string {
  const parts = waves.slice(0, index + 1).map(({ name, select: its, size }): Json => [name, written(its), size ?? null])
  return createHash('sha256')
    .update(canonical([written(select), parts]))
    .digest('hex')
    .slice(0, 32)
}

/** In whatever order its lists are written; what is empty restricts nothing. */
function written(select: Selection = {}): Json {
  const parts = Object.entries(select).flatMap(([key, value]): [string, Json][] => {
    if (value === undefined || Object.keys(value).length === 0) return []
    return [[key, Array.isArray(value) ? [...(value as string[])].sort() : ({ ...value } as Json)]]
  })
  return Object.fromEntries(parts)
}
