import { versionKey } from '@/lib/domain/version'

export type Operator = '=' | '<' | '<=' | '>' | '>='

export interface Term<K extends string = string> {
  key: K
  not: boolean
  operator: Operator
  /** Any of these. */
  values: string[]
}

export interface Filter<K extends string = string> {
  terms: Term<K>[]
  /** Each must be found somewhere in what is listed. */
  words: string[]
  /** What could not be understood, one sentence each; the rest still filters. */
  problems: string[]
}

/** What a list can be filtered by. */
export interface Grammar<K extends string> {
  /** Words that may stand before a colon, with what they filter. */
  keys: Readonly<Record<K, string>>
  /** Where there are only so many words: another one is a slip, not a filter that nothing matches. */
  vocabulary: Partial<Record<K, readonly string[]>>
  synonyms?: Partial<Record<K, readonly string[]>>
  /** What pages call some of them otherwise, with "-" between words. */
  shown?: Partial<Record<K, Readonly<Record<string, string>>>>
  /** What pages show beside them that another filter finds, with that. */
  elsewhere?: Partial<Record<K, Readonly<Record<string, string>>>>
  /** Keys of versions, which can be compared; and how, for who gets it wrong: "version:<1.34". */
  versions: readonly K[]
  example: string
}

const TOKEN = /(?:[^\s"]|"[^"]*"?)+/g
const ORDERED = /^(<=|>=|<|>)(.*)$/
const unquote = (text: string) => text.replaceAll('"', '')
const quote = (value: string) => (/[\s",]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)

/** "1" and "v1.34" are versions, too. */
const withMinor = (version: string): string => (/^v?\d+$/.test(version) ? `${version}.0` : version)

export function formatTerm({ key, not, operator, values }: Term): string {
  return `${key}:${not ? '!' : ''}${operator === '=' ? '' : operator}${values.map(quote).join(',')}`
}

export const formatFilter = ({ terms, words }: Pick<Filter, 'terms' | 'words'>): string =>
  [
    ...terms.map(formatTerm),
    ...words.map((word) => (/[\s:"]/.test(word) ? `"${word.replaceAll('"', '')}"` : word)),
  ].join(' ')

/** Reads `cluster:atlas phase:Failed version:<1.34 verdict:!replace word`. Never throws: people type it letter by letter. */
export function parseBy<K extends string>(grammar: Grammar<K>, text: string): Filter<K> {
  const filter: Filter<K> = { terms: [], words: [], problems: [] }
  if (text.split('"').length % 2 === 0) filter.problems.push('A quotation mark is opened and not closed.')
  for (const token of text.match(TOKEN) ?? []) {
    const colon = token.startsWith('"') ? -1 : token.indexOf(':')
    const name = token.slice(0, colon).toLowerCase()
    if (colon < 1 || !/^-?[a-z]+$/.test(name)) addWord(filter, token)
    else addTerm(grammar, filter, name, token.slice(colon + 1))
  }
  return filter
}

function addWord(filter: Filter, token: string): void {
  const word = unquote(token).trim().toLowerCase()
  if (word && word !== '*') filter.words.push(word)
}

function addTerm<K extends string>(grammar: Grammar<K>, filter: Filter<K>, name: string, raw: string): void {
  const key = (name.startsWith('-') ? name.slice(1) : name) as K
  const { keys, vocabulary, versions, example } = grammar
  if (!Object.hasOwn(keys, key)) {
    filter.problems.push(`There is no filter “${key}”; there are ${Object.keys(keys).join(', ')}.`)
    return
  }
  const bang = raw.startsWith('!')
  const rest = bang ? raw.slice(1) : raw
  const [, operator = '=', operand = rest] = ORDERED.exec(rest) ?? []
  const values = operand
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((value) => asWord(grammar, key, unquote(value).trim()))
    .filter((value) => value !== '' && value !== '*')
  if (values.length === 0) {
    if (!operand.includes('*')) filter.problems.push(`“${key}:” stands without a value: ${keys[key]}.`)
    return
  }
  if (operator !== '=' && (!versions.includes(key) || !versionKey(withMinor(values[0]!)))) {
    filter.problems.push(`“${operator}” compares versions, as in ${example}.`)
    return
  }
  const strange = values.filter((value) => !isWordOf(grammar, key, value))
  for (const value of strange) {
    const other = ownWord(grammar.elsewhere?.[key], spelt(value))
    const are = other ? `it is found by ${other}` : `there are ${vocabulary[key]?.join(', ')}`
    filter.problems.push(`There is no ${key} “${value}”; ${are}.`)
  }
  const meant = values.filter((value) => !strange.includes(value))
  if (meant.length > 0)
    filter.terms.push({ key, not: bang !== name.startsWith('-'), operator: operator as Operator, values: meant })
}

const spelt = (value: string): string => value.toLowerCase().replaceAll(' ', '-')
/** Somebody may type "constructor". */
const ownWord = (words: Readonly<Record<string, string>> | undefined, word: string): string | undefined =>
  words && Object.hasOwn(words, word) ? words[word] : undefined

/** What is typed as a page shows it is the word that it stands for. */
function asWord<K extends string>({ vocabulary, shown }: Grammar<K>, key: K, value: string): string {
  const word = spelt(value)
  return ownWord(shown?.[key], word) ?? (value.includes(' ') && vocabulary[key]?.includes(word) ? word : value)
}

function isWordOf<K extends string>({ vocabulary, synonyms }: Grammar<K>, key: K, value: string): boolean {
  const words = vocabulary[key]
  return !words || [...words, ...(synonyms?.[key] ?? [])].includes(value.toLowerCase())
}

/** The filter with one value of a facet switched on or off. */
export function toggledBy<K extends string>(grammar: Grammar<K>, text: string, key: K, value: string): string {
  const filter = parseBy(grammar, text)
  const term = filter.terms.find((t) => t.key === key && !t.not && t.operator === '=')
  if (!term) filter.terms.push({ key, not: false, operator: '=', values: [value] })
  else if (term.values.includes(value)) term.values = term.values.filter((v) => v !== value)
  else term.values.push(value)
  return formatFilter({ ...filter, terms: filter.terms.filter((t) => t.values.length > 0) })
}

export const isOn = <K extends string>(filter: Filter<K>, key: K, value: string): boolean =>
  filter.terms.some((t) => t.key === key && !t.not && t.operator === '=' && t.values.includes(value))
