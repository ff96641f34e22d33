import { MASK, safeText } from '@/lib/domain/changes/secrets'

const TELLING =
  '(?:[a-z]*(?:tokens?|passw(?:or)?ds?|secrets?|private_?keys?|api_?keys?)|credentials?|contents?|userdata|certificatekeys?)'

/** "password": "…", also as text within a text. */
const QUOTED = new RegExp(String.raw`(\\*"?\b${TELLING}\\*"?\s*:\s*)\\*"(?:[^"\\]|\\.)*"`, 'gi')

const REFUSED = /\b(Invalid|Duplicate|Unsupported) value: /g
/** Of a ClusterClass, any variable may be a credential. */
const TELLING_PATH = new RegExp(
  String.raw`(?:^|[.[\]"'\s,])(?:${TELLING}|data|stringdata|variables)(?:$|[.[\]"'\s,:])`,
  'i',
)

/** "spec…users[0].passwd: Invalid value: "…": must be …", as Kubernetes writes it (apimachinery, field/errors.go). */
function withoutRefused(line: string): string {
  let out = ''
  let from = 0
  for (const { 0: words, index } of line.matchAll(REFUSED)) {
    const at = index + words.length
    if (index < from || !TELLING_PATH.test(line.slice(from, index).replace(/: $/, '').split(': ').at(-1)!)) continue
    const quoted = /^"(?:[^"\\]|\\.)*"/.exec(line.slice(at))
    out += `${line.slice(from, at)}"${MASK}"`
    // What is no text is written as Go prints it, without a mark where it ends.
    from = quoted ? at + quoted[0].length : line.length
  }
  return out + line.slice(from)
}

/** What an API server says of an object that it refuses, quoting it: what is a credential in it is masked. */
export const maskedAnswer = (answer: string): string =>
  answer
    .split('\n')
    .map((line) => safeText(withoutRefused(line).replace(QUOTED, `$1"${MASK}"`), 2_000))
    .join('\n')
