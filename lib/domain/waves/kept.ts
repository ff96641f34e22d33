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

/** Only that a configuration is another one, and nothing of what is in it. */
const isUnread = ({ fields }: Brought): boolean =>
  fields.length === 0 || fields.some(({ path }) => path === 'configuration')

/** A value that is told by the lines that differ is as many values as it has lines. */
const lines = (value: Json | undefined): string[] =>
  value === undefined ? [] : typeof value === 'string' ? value.split('\n') : [canonical(value)]

/** back: it is taken back, or part of it; unsure: it may be. */
export type Kept = 'kept' | 'back' | 'unsure'

/** Whether `next` brings back any of what was there at one of these times before, or may. Another value of the same is newer. `former` null: nobody knows. */
function keptBy(field: FieldChange, next: FieldChange, former: readonly FieldChange[] | null): Kept {
  const { current: from, desired: to } = next
  if (to === undefined) return 'back'
  if (field.secret || next.secret) return 'unsure'
  if (from === undefined && field.desired !== undefined) return 'unsure'
  if (isRelease(field)) {
    const [now, before] = [versionKey(String(to)), versionKey(String(from))]
    if ((now ?? '') > (before ?? '')) return 'kept'
    return now === null || before === null ? 'unsure' : 'back'
  }
  if (former === null) return 'unsure'
  const brought = new Set(lines(to))
  if (former.some(({ current, secret }) => !secret && lines(current).some((line) => brought.has(line)))) return 'back'
  return former.some(({ secret }) => secret) ? 'unsure' : 'kept'
}

const worst = (all: readonly Kept[]): Kept =>
  all.includes('back') ? 'back' : all.includes('unsure') ? 'unsure' : 'kept'

/**
 * Of the changes of one group, the newest first: those that it went through, and whether anything since has taken each back, or may
 * have: of what is not shown or could not be read, and of what no former value is known, nobody can tell.
 */
export function keptOf<C extends Brought>(changes: readonly C[]): { change: C; kept: Kept }[] {
  return changes.flatMap((change, i) => {
    if (change.state !== 'done') return []
    const later = changes.slice(0, i)
    if (later.length > 0 && [change, ...later].some(isUnread)) return [{ change, kept: 'unsure' as const }]
    const each = later.flatMap((next, j) => {
      const wanted = new Map(next.fields.map((field) => [keyOf(field), field]))
      // Also what an even earlier change replaced may be what is wanted again; of one that could not be read nobody knows what that was.
      const earlier = changes.slice(j + 1)
      const isDark = earlier.some(isUnread)
      const before = earlier.flatMap(({ fields }) => fields)
      return change.fields.map((field): Kept => {
        const key = keyOf(field)
        const now = wanted.get(key)
        return now ? keptBy(field, now, isDark ? null : before.filter((one) => keyOf(one) === key)) : 'kept'
      })
    })
    return [{ change, kept: worst(each) }]
  })
}
