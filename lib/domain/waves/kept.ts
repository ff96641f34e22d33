import { versionKey } from '../version'
import { canonical, type FieldChange } from '../changes'
import type { Json } from '../json'

/** What a change brought, and what came of it. */
export interface Brought {
  state: string
  fields: readonly FieldChange[]
}

const keyOf = ({ object, path }: FieldChange): string => JSON.stringify([object, path])
const isRelease = ({ object, path }: FieldChange): boolean => object === 'machine' && path === 'version'
const same = (a: Json, b: Json): boolean => canonical(a) === canonical(b)

/**
 * Whether what came later takes back what an earlier change brought, or may: of what is not shown, and of what no former value is
 * known, nobody can tell. Another value of the same is newer.
 */
export function takesBack(earlier: Brought, later: Brought): boolean {
  const now = new Map(later.fields.map((field) => [keyOf(field), field]))
  return earlier.fields.some((field) => {
    const next = now.get(keyOf(field))
    if (!next) return false
    const { current: from, desired: to } = next
    if (field.secret || next.secret || to === undefined || (from === undefined && field.desired !== undefined))
      return true
    if (isRelease(field)) return (versionKey(String(to)) ?? '') <= (versionKey(String(from)) ?? '')
    return field.current !== undefined && same(to, field.current)
  })
}

/** Of the changes of one group, the newest first: those that it went through, and that nothing since has taken back. */
export function stillHas<C extends Brought>(changes: readonly C[]): C[] {
  const later: C[] = []
  return changes.filter((change) => {
    const kept = change.state === 'done' && !later.some((next) => takesBack(change, next))
    later.push(change)
    return kept
  })
}
