/** Longer than any name of Kubernetes; the bound keeps the search linear, whatever the message. */
const NAME = '([^\\s"\'`,;()]{1,253}?)'
/** Of a longer message only this much is looked at. */
export const LOOKED_AT = 8_192
const HOLE = /\{([a-z]{1,20})\}/g

export interface Template {
  /** Letters that must be in the message; found by a plain search before anything else is tried. */
  literal: string
  pattern: RegExp
  names: readonly string[]
  /** How much of the message it speaks of. */
  length: number
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** "Pod {pod}: cannot evict": names stand for one word each. There is no other pattern, so none can be slow. */
export function template(text: string): Template {
  const parts = text.split(HOLE)
  const literals = parts.filter((_, i) => i % 2 === 0)
  const names = parts.filter((_, i) => i % 2 === 1)
  const ends = literals.at(-1) === ''
  // A name at the very end goes on to the end of its word.
  const pattern =
    parts.map((part, i) => (i % 2 === 0 ? escaped(part) : NAME)).join('') + (ends ? `(?![^\\s"'\`,;()])` : '')
  const literal = literals.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
  return { literal: literal.toLowerCase(), pattern: new RegExp(pattern, 'i'), names, length: pattern.length }
}

/** What a message is searched as: lines and indents are spaces, so that a template need not know of them. */
export function searched(message: string): { text: string; lower: string } {
  const text = message
    .slice(0, LOOKED_AT)
    .replace(/\s/g, ' ')
    .replace(/ {2,8}/g, ' ')
  return { text, lower: text.toLowerCase() }
}

/** What stands for the names; null: the template is not in the message. */
export function found(
  { literal, pattern, names }: Template,
  { text, lower }: ReturnType<typeof searched>,
): Record<string, string> | null {
  if (!lower.includes(literal)) return null
  const match = pattern.exec(text)
  if (!match) return null
  return Object.fromEntries(names.map((name, i) => [name, match[i + 1]!]))
}

/** "{pod|a pod} cannot be moved" with what was found. */
export const filled = (words: string, names: Record<string, string>): string =>
  words
    .replace(/\{([a-z]{1,20})(?:\|([^}]{0,60}))?\}/g, (_, name: string, otherwise?: string) =>
      Object.hasOwn(names, name) ? names[name]! : (otherwise ?? name),
    )
    .replaceAll('  ', ' ')
