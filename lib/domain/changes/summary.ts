import { storable } from '../text'
import { versionKey } from '../version'
import { isKind, isRule, ofContent } from './reference'
import type { ChangeSet, FieldChange, ShownChange } from './types'

export interface Versions {
  from: string | null
  to: string | null
}

/** The version step among some field changes, where there is one. */
export function versionsOf(fields: readonly FieldChange[]): Versions {
  const change = fields.find((f) => f.object === 'machine' && f.path === 'version')
  const text = (value: unknown): string | null => (typeof value === 'string' ? storable(value) : null)
  return { from: text(change?.current), to: text(change?.desired) }
}

const sameField = (a: FieldChange) => `${a.object} ${a.path}`

/** Machines half way through a rollout may differ in what they have: "v1.34.2 and v1.34.3". */
function fromWords(fields: readonly FieldChange[]): string {
  const all = fields.filter((f) => f.object === 'machine' && f.path === 'version')
  const from = [...new Set(all.map(({ current }) => (typeof current === 'string' ? current : 'no version')))]
  from.sort((a, b) => ((versionKey(a) ?? '') < (versionKey(b) ?? '') ? -1 : 1))
  if (from.length < 2) return from[0] ?? 'no version'
  const named = from.length > 3 ? [...from.slice(0, 2), `${from.length - 2} others`] : from
  return `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`
}

const few = (count: number, more: string): string => `${count} ${more}field${count === 1 ? '' : 's'}`

/** A rollout that somebody asked for without another change: everything older than that moment is replaced. */
const anew = ({ desired }: FieldChange): string =>
  typeof desired === 'string'
    ? `roll out what is older than ${desired.slice(0, 16).replace('T', ' ')} UTC`
    : 'no rollout by time any more'

/** Of a change set, also where some of it may not be read: what is known of it. */
export function summaryOf({ fields, pairs }: ChangeSet): string {
  if (!pairs.some(({ unread }) => unread)) return storable(wordsOf(fields))
  const known = fields.filter((field) => ofContent(field) || isKind(field))
  return known.length > 0
    ? storable(`${wordsOf(known)}, and more that may not be read`)
    : 'a template that may not be read'
}

/** "v1.34.1 → v1.34.2, 2 more fields"; a field is one field, however many values machines have there now. */
function wordsOf(shown: readonly ShownChange[]): string {
  const fields = shown.filter(({ always }) => !always)
  const content = [...new Map(fields.filter(ofContent).map((f) => [sameField(f), f])).values()]
  const { from, to } = versionsOf(fields)
  if (from || to) {
    const rest = content.length - 1
    return `${fromWords(fields)} → ${to ?? 'no version'}${rest > 0 ? `, ${few(rest, 'more ')}` : ''}`
  }
  const kind = fields.find((field) => isKind(field) && field.path.endsWith('.kind'))
  if (typeof kind?.current === 'string' && typeof kind.desired === 'string')
    return `${kind.current} → ${kind.desired}${content.length > 0 ? `, ${few(content.length, 'more ')}` : ''}`
  const [only] = content
  if (only && content.length === 1)
    return only.path === 'rollout.after' ? anew(only) : `${isRule(only) ? 'group' : only.object}: ${only.path}`
  if (content.length > 1)
    return `${few(content.length, '')} of ${[...new Set(content.map((f) => f.object))].join(', ')}`
  if (fields.length > 0) return 'another template with the same content'
  return 'another revision, the same as far as Drydock compares'
}
