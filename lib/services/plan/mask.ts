import { MASK, safeText, withoutKeys } from '@/lib/domain/changes/secrets'

/** More nobody reads, and it may be a whole manifest. */
const MOST = 65_536
const LONGEST_PATH = 1_000
const SOME = String.raw`[\w-]{0,40}`
const TELLING = `${SOME}(?:token|passw(?:or)?d|secret|private_?-?key|api_?-?key|credential|userdata|certificate_?-?key)${SOME}`

/** "password": "…", also as text within a text, and where the end is cut off. */
const QUOTED = new RegExp(
  String.raw`(\\{0,8}"?(?:${TELLING}|contents?)\\{0,8}"?\s{0,8}:\s{0,8}\[?\s{0,8})\\{0,8}"(?:[^"\\]|\\.)*(?:"|\\?$)`,
  'gi',
)

/** As Kubernetes words what it refuses (apimachinery, field/errors.go). */
const REFUSED = /\b(?:(?:Invalid|Duplicate|Unsupported) value|Not found): /g
/** Of a ClusterClass, any variable may be a credential. */
const TELLING_PATH = new RegExp(
  String.raw`(?:^|[.[\]"'\s,])(?:${TELLING}|contents?|data|stringdata|${SOME}variables)(?:$|[.[\]"'\s,:])`,
  'i',
)

/** "spec…users[0].passwd: Invalid value: "…": must be …", and wherever it is said again. */
function withoutRefused(line: string): string {
  const said = new Set<string>()
  let out = ''
  let from = 0
  for (const { 0: words, index } of line.matchAll(REFUSED)) {
    const at = index + words.length
    if (
      index < from ||
      !TELLING_PATH.test(
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
  for (const value of said) out = out.replaceAll(value, `"${MASK}"`)
  return out
}

/** What an API server says of an object that it refuses, quoting it: what is a credential in it is masked. */
export const maskedAnswer = (answer: string): string =>
  withoutKeys(answer.slice(0, MOST))
    .split('\n')
    .map((line) => safeText(withoutRefused(line).replace(QUOTED, `$1"${MASK}"`), 2_000))
    .join('\n')
