import { MASK, tellingOf } from './telling'

const LONGEST_PATH = 1_000
/** So many are looked for one by one. */
const FEW = 20
const QUOTED = /"(?:[^"\\]|\\.)*"/g

/** As Kubernetes words what it refuses (apimachinery, field/errors.go). */
const REFUSED = /\b(?:(?:Invalid|Duplicate|Unsupported) value|Not found): /g
/** Of a ClusterClass, any variable may be a credential. */
const OF_ANYTHING = /^(?:data|stringdata|[\w-]{0,40}variables)$/i
const tellingPath = (path: string): boolean =>
  path.split(/[.[\]"'\s,:]/).some((word) => tellingOf(word) !== null || OF_ANYTHING.test(word))

/** "spec…users[0].passwd: Invalid value: "…": must be …", and wherever it is said again. */
function inLine(line: string): string {
  const said = new Set<string>()
  let out = ''
  let from = 0
  for (const { 0: words, index } of line.matchAll(REFUSED)) {
    const at = index + words.length
    if (
      index < from ||
      !tellingPath(
        line
          .slice(Math.max(from, index - LONGEST_PATH), index)
          .replace(/: $/, '')
          .split(': ')
          .at(-1)!,
      )
    )
      continue
    const quoted = /^"(?:[^"\\]|\\.)*"/.exec(line.slice(at))?.[0]
    if (quoted) said.add(quoted)
    out += `${line.slice(from, at)}"${MASK}"`
    // What is no text is written as Go prints it, without a mark where it ends.
    from = quoted ? at + quoted.length : line.length
  }
  out += line.slice(from)
  if (said.size > FEW) return out.replace(QUOTED, (text) => (said.has(text) ? `"${MASK}"` : text))
  for (const value of said) out = out.replaceAll(value, `"${MASK}"`)
  return out
}

/** What somebody says of an object that it refuses, quoting it: values of fields that tell are masked. */
export const withoutRefused = (words: string): string =>
  /(?:value|Not found): /.test(words) ? words.split('\n').map(inLine).join('\n') : words
