/** What follows a name and is no value of it: the API server's words about it (apimachinery, field/errors.go). */
const WORDS =
  /(?:(?:Invalid|Duplicate|Unsupported|Required) value\b|Forbidden\b|Unauthorized\b|Not found\b|Too (?:long|many|few|short)\b|Internal error\b|map\[\]|<nil>)/y
/** And controllers' words about a Secret or a token; a passphrase may well be words. */
const PROSE =
  /(?:(?:[Ff]ailed|[Uu]nable) to |[Cc]annot |could not |must |is (?:not |required|invalid|missing)|no such |not found\b|unknown field\b|timed out\b|context (?:deadline|canceled)|rpc error|dial tcp|x509: |(?:[Ss]ecrets?|[Tt]okens?|[Cc]onfig[Mm]aps?) "|(?:Get|Post|Put|Patch|Delete) "|the (?:server|object|secret|token) |error |Operation cannot)/y
const SAYS_NOTHING = /(?:true|false|null|nil|none|•{6})(?=[\s,;&"'`)\]}]|$)/iy
const QUOTE = /\\{0,8}["'`]/y
const BLOCK = /[|>][+-]?\d?[ \t]*\n(?:[ \t]+[^\n]*(?:\n|$)|[ \t]*\n)*/y
const ITEMS = /(?:\r?\n[ \t]*-[ \t]+(?![\w."'-]+[ \t]*:[ \t\n])[^\n]+)+/y
const NEXT_LINE = /\r?\n[ \t]+(?![\w."'-]+[ \t]*:(?:[ \t\n]|$)|-[ \t])\S[^\n]*/y
const WORD = /\S+/y
const LINE = /[^\n]+/y

const ended = (pattern: RegExp, text: string, at: number): number | null => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}

/** To the end of what opens here; of what was cut off, to the end. */
function quotedEnd(text: string, at: number, quote: string): number {
  if (quote.length > 1) {
    const end = text.indexOf(quote, at)
    return end < 0 ? text.length : end
  }
  for (let i = at; i < text.length; i++) {
    if (text[i] === '\\') i++
    // In a shell what follows directly belongs to it.
    else if (text[i] === quote) return /[\w"'$]/.test(text[i + 1] ?? '') ? (ended(WORD, text, i) ?? i) : i
  }
  return text.length
}

const CLOSES: Record<string, string> = { '[': ']', '{': '}' }

function bracketEnd(text: string, at: number): number {
  const open = text[at]!
  const close = CLOSES[open]!
  for (let i = at, depth = 0; i < text.length; i++) {
    if (text[i] === open) depth++
    else if (text[i] === close && --depth === 0) return i + 1
  }
  return text.length
}

/** A header has several words: to the end of the quotes that it is in, or of the line. */
function headerEnd(text: string, at: number, close: string): number {
  for (let i = at; i < text.length; i++) if (text[i] === '\n' || text[i] === close) return i
  return text.length
}

/** Where the value begins and ends that stands here; null: there is none, or what stands here is not one. */
export function skipValue(
  text: string,
  start: number,
  name: string,
  nameAt: number,
): { at: number; end: number } | null {
  // Of a key that a Secret lacks.
  if (text.startsWith('non-existent ', nameAt - 13)) return null
  if (start >= text.length || ended(SAYS_NOTHING, text, start) !== null) return null
  const range = (end: number | null, at = start) => (end === null || end <= at ? null : { at, end })
  const block = ended(BLOCK, text, start)
  if (block !== null) return range(block)
  if (text[start] === '\n' || text[start] === '\r')
    return range(ended(ITEMS, text, start) ?? ended(NEXT_LINE, text, start))
  const quote = ended(QUOTE, text, start)
  if (quote !== null) {
    const end = quotedEnd(text, quote, text.slice(start, quote))
    // An empty text says nothing.
    return range(end, quote)
  }
  if (text[start] === '[' || text[start] === '{') return range(bracketEnd(text, start))
  if (ended(WORDS, text, start) !== null) return null
  if (!/pass|pwd/i.test(name) && ended(PROSE, text, start) !== null) return null
  // "Name: value" may be in quotes as a whole.
  const before = text[nameAt - 1]
  const inQuotes = (before === '"' || before === "'") && !text.slice(nameAt, start).includes(before)
  if (inQuotes || /(?:authorization|cookie)$/i.test(name))
    return range(headerEnd(text, start, inQuotes ? before : '\n'))
  // In a file of settings a value may have several words; in prose the next one is another matter.
  const alone = /(?:^|\n)[ \t>#*"'-]*$/.test(text.slice(Math.max(0, nameAt - 200), nameAt))
  return range(ended(alone ? LINE : WORD, text, start))
}
