import { withoutRefused } from './refused'
import { skipValue } from './secret-value'
import { MASK, mayTell, tellingOf } from './telling'

/** Also of a key whose end was cut off. */
export const withoutKeys = (text: string): string => text.replace(/-----BEGIN [^]*?(?:-----END [A-Z ]*-----|$)/g, MASK)

const PEM = /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*-----|$)/g

const TOKENS =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|xox[abprs]-[\w-]{10,}|hvs\.[\w-]{20,}|sha256~[\w-]{20,})/g

type Mask = string | ((all: string, ...groups: string[]) => string)

/**
 * What is a credential by its form alone, wherever it stands. No pattern goes over a part of the text more than so often,
 * and none is looked for where what it needs is not there.
 */
const FORMS: readonly [needs: string | RegExp, form: RegExp, by: Mask][] = [
  ['-----BEGIN', PEM, MASK],
  // The same in base64, and what a registry is logged in to with.
  ['eyJhdXRo', /eyJhdXRo[\w+/=]{8,}/g, MASK],
  ['LS0tLS1', /LS0tLS1CRUdJTiB(?:Q(?!VUJM)|[SFEP])[\w+/=]*/g, MASK],
  ['.', /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, MASK],
  ['eyJ', /(?<![\w-])eyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?/g, MASK],
  [/gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hvs\.|sha256~/, TOKENS, MASK],
  ['$', /\$(?:1|2[abxy]|5|6|y|apr1|argon2\w{1,2})\$[^\s:"'`]{8,}/g, MASK],
  [/A[KS]IA/, /(\b(?:AKIA|ASIA)[A-Z0-9]{16}\b[\s"',:;=/|]{1,20})[\w+/]{40}(?![\w+/])/g, `$1${MASK}`],
  ['@', /:\/\/[^\s/:@"'<>]{0,200}:(?!\d{1,5}(?:[/?#\s"']|$))[^\s"'<>]{1,300}@/g, `://${MASK}@`],
  ['@', /:\/\/[^\s/:@"'<>]{16,300}@/g, `://${MASK}@`],
  [/sig/i, /([?&][\w-]{0,40}sig(?:nature)?=)[^\s&"']+/gi, `$1${MASK}`],
  ['data:', /\bdata:(?:[\w.+-]+\/[\w.+-]+)?(?:;[\w=.-]+)*,[^\s"']+/g, `data:${MASK}`],
  [/earer|BEARER/, /\b([Bb]earer|BEARER)(\s{1,8})(?=[^\s\d]{0,200}\d)[\w.~+/=-]{8,}/g, `$1$2${MASK}`],
  [
    /asic|BASIC/,
    /\b([Bb]asic|BASIC)(\s{1,8})([A-Za-z0-9+/]{4,}={0,2})/g,
    (all, scheme, space, encoded) => (isPair(encoded!) ? `${scheme}${space}${MASK}` : all),
  ],
  // Commands that have a password as an argument, or as what is piped into them.
  ['sshpass', /(\bsshpass\s{1,20}(?:-[a-z]\s{1,20}){0,3}-p\s{0,20})(?:"[^"]*"?|'[^']*'?|\S+)/g, `$1${MASK}`],
  ['login', /(\blogin\s[^\n|;&]{0,300}?(?<=\s)-p\s{0,20})(?:"[^"]*"?|'[^']*'?|[^\s"']\S*)/g, `$1${MASK}`],
  ['login', /(\blogin\s{1,8}\S{1,200}\s{1,8}password\s{1,8})\S+/g, `$1${MASK}`],
  ['--from-literal', /(--from-literal[= ]{1,8}["']?[^\s="']{1,200}=)(?:"[^"]*"?|'[^']*'?|[^\s"']+)/g, `$1${MASK}`],
  ['SecureString', /(ConvertTo-SecureString\s{1,8}(?:-String\s{1,8})?)(?:"[^"]*"?|'[^']*'?|\S+)/g, `$1${MASK}`],
  [/pass/i, /\b(passw(?:or)?d|passphrase)( (?:is |was |of )?)(["'`])[^"'`\n]{1,300}\3/gi, `$1$2$3${MASK}$3`],
  ['-p', /(\b(?:useradd|usermod)\b[^\n|;&]{0,300}?\s-p\s{0,20})(?:"[^"]*"?|'[^']*'?|\S+)/g, `$1${MASK}`],
  ['-p', /(\b(?:mysql|mariadb)[\w-]{0,20}\s[^\n|;&]{0,300}?(?<=\s)-p)(?:"[^"]*"?|'[^']*'?|[^\s-]\S*)/g, `$1${MASK}`],
  [
    /\s-[uU-]/,
    /(?<=\s)(-[uU]|--(?:proxy-)?user)([ \t=]{0,20})("[^"\s:]{0,200}:[^"]*"?|'[^'\s:]{0,200}:[^']*'?|[^\s:"']{1,200}:(?!\/\/)[^\s"']+)/g,
    (all, flag, space, pair) => (/^\d+:\d+$/.test(pair!) ? all : `${flag}${space}${MASK}`),
  ],
  [
    'passwd',
    /(?<![^\n;&])[^\n;&]*\|\s*(?:sudo\s+)?(?:chpasswd\b|passwd\b[^\n;&|]{0,200}--stdin)/g,
    `${MASK} | chpasswd`,
  ],
  ['chpasswd', /(\bchpasswd\b[^\n<]{0,200}<<)[^]*/g, `$1${MASK}`],
]
const needed = (needs: string | RegExp, text: string) =>
  typeof needs === 'string' ? text.includes(needs) : needs.test(text)

function isPair(encoded: string): boolean {
  try {
    return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(atob(encoded))
  } catch {
    return false
  }
}

const NAME = /(?<![\w.-])(?:[\w.-]+)(?: [Kk](?:ey|EY)\b)?/g
/** Between a name and its value: "=", ": ", "=>", also where the name was in quotes, in brackets or in text within a text. */
const BETWEEN = /["'`\\\])]{0,10}[ \t]*(?:=>|:=|={1,2}|:(?!\/\/))[ \t]*/y
const FLAG_BETWEEN = /["']?(?:[ \t]+|[ \t]*\\\n[ \t]*)(?!-)(?=\S)/y
/** "aws configure set name value". */
const SETS = /(?:\bconfig(?:ure)?[ \t]+set|\bsetenv|\bset[ \t]+-\w{1,4})[ \t]+["']?$/
const TAG_BETWEEN = />(?=[^<\s])/y
/** "name: X", and that what follows is its value. */
const ITEM = /["'`\\]{0,10}([\w.-]+)["'`\\]{0,10}[\s,;]*["'`\\]{0,10}values?["'`\\]{0,10}[ \t]*[:=][ \t]*/iy

const matched = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Names that tell, with their values masked: NAME=VALUE, "name": "value", --name value, <name>value. */
function withoutNamed(text: string): string {
  let out = ''
  let from = 0
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found; found = NAME.exec(text)) {
    const name = found[0]
    const end = NAME.lastIndex
    const between =
      matched(BETWEEN, text, end) ??
      (name.startsWith('-') || SETS.test(text.slice(Math.max(0, found.index - 24), found.index))
        ? matched(FLAG_BETWEEN, text, end)
        : null) ??
      (text[found.index - 1] === '<' ? matched(TAG_BETWEEN, text, end) : null)
    NAME.lastIndex = end
    if (!between) continue
    let at = end + between[0].length
    if (/^(?:name|key)$/i.test(name)) {
      const item = matched(ITEM, text, at)
      if (!item || tellingOf(item[1]!) === null) continue
      at += item[0].length
    } else if (tellingOf(name) === null) continue
    const value = skipValue(text, at, name, found.index)
    if (!value) continue
    out += text.slice(from, value.at) + MASK
    from = value.end
    NAME.lastIndex = value.end
  }
  return out + text.slice(from)
}

/** A text with what may be a credential in it masked. */
export function withoutSecrets(text: string): string {
  let rest = text
  for (const [needs, form, by] of FORMS) if (needed(needs, rest)) rest = rest.replace(form, by as string)
  // Variables of a ClusterClass need no telling word.
  rest = withoutRefused(rest)
  return mayTell(rest) ? withoutNamed(rest) : rest
}

/** More nobody reads, and it may be a whole manifest. */
const MOST = 65_536

/** What a server says of an object that it was sent, as it may be kept. */
export const maskedWords = (words: string): string => withoutSecrets(withoutKeys(words.slice(0, MOST)))

/** The same for people: what nobody reads is left out. */
export const maskedAnswer = (answer: string): string =>
  maskedWords(answer)
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim().slice(0, 2_000))
    .join('\n')
