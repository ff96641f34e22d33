import { isObject } from '../../../lib/domain/changes'
import type { KubeObject } from '../../../lib/kubernetes/types'

/** The first place where what we decide differs from what the operator's own code decided. */
export interface Difference {
  at: string
  table: string
  ours: string
}

/** What a row comes to: it differs, or it is as in the table but for what Drydock knows better on purpose. */
export interface Played {
  id: string
  difference?: Difference
  exceptions: Exception[]
}

/** A place where Drydock says something else than the operator and is meant to. */
export interface Exception {
  name: string
  reason: string
}

export class TableError extends Error {}

const shown = (value: unknown): string => (value === undefined ? '(nothing)' : JSON.stringify(value))

/** Walks the table's value and ours, and stops where they part; null and absent are the same. */
export function differs(table: unknown, ours: unknown, at = ''): Difference | undefined {
  const [a, b] = [table ?? null, ours ?? null]
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      const found = differs(a[i], b[i], `${at}[${i}]`)
      if (found) return found
    }
    return undefined
  }
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = differs(a[key], b[key], at ? `${at}.${key}` : key)
      if (found) return found
    }
    return undefined
  }
  return Object.is(a, b) ? undefined : { at, table: shown(a), ours: shown(b) }
}

/** An object of a row, which names only what matters, as an API server would give it. */
export const whole = (kind: string, name: string, object: unknown): KubeObject => {
  const given = isObject(object) ? object : {}
  const metadata = isObject(given.metadata) ? given.metadata : {}
  return {
    apiVersion: 'v1',
    kind,
    ...given,
    metadata: { name, uid: `${kind}/${name}`, resourceVersion: '1', ...metadata },
  } as unknown as KubeObject
}
