/**
 * CEL's message literals (`Object{…}`, `Object.metadata{…}`, `JSONPatch{…}`) as map literals, which the evaluator knows:
 * `Object.spec{paused: true}` becomes `{"paused": true}`. Optional entries (`{?"a": x}`, `?a: x`) lose their mark; the
 * caller drops entries whose value is an absent optional.
 */
export function withMapLiterals(source: string): string {
  let out = ''
  let at = 0
  /** One entry per open bracket: whether its keys are bare field names, and where keys may stand at all. */
  const open: { bare: boolean; keys: boolean }[] = []
  let entry = false
  while (at < source.length) {
    const rest = source.slice(at)
    const literal = STRING.exec(rest)
    if (literal) {
      out += literal[0]
      at += literal[0].length
      entry = false
      continue
    }
    const message = MESSAGE.exec(rest)
    if (message && !/[\w.]$/.test(out.trimEnd())) {
      out += '{'
      at += message[0].length
      open.push({ bare: true, keys: true })
      entry = true
      continue
    }
    const inside = open.at(-1)
    if (entry && inside?.keys) {
      const key = (inside.bare ? FIELD : OPTIONAL).exec(rest)
      if (key) {
        out += inside.bare ? `${JSON.stringify(key[1])}:` : ''
        at += key[0].length
        entry = false
        continue
      }
    }
    const word = WORD.exec(rest)
    const piece = word?.[0] ?? rest[0]!
    if (piece === '{' || piece === '(' || piece === '[') open.push({ bare: false, keys: piece === '{' })
    if (piece === '}' || piece === ')' || piece === ']') open.pop()
    if (piece === '{' || piece === ',') entry = true
    else if (piece.trim()) entry = false
    out += piece
    at += piece.length
  }
  return out
}

const STRING = /^[rRbB]{0,2}("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/
const MESSAGE = /^(?:Object(?:\.\w+)*|JSONPatch)\s*\{/
const FIELD = /^\??\s*`?([A-Za-z_][\w-]*)`?\s*:/
const OPTIONAL = /^\?\s*/
const WORD = /^\w+/
