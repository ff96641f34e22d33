import { MACHINE_STATES } from '@/lib/domain/rows'
import { VERDICTS } from '@/lib/domain/verdict'
import { versionKey } from '@/lib/domain/version'

/** Words that may stand before a colon, with what they filter. */
export const FILTER_KEYS = {
  cluster: 'management or workload cluster',
  group: 'MachineDeployment, control plane, pool or set',
  namespace: 'namespace',
  node: 'node',
  phase: 'phase',
  state: 'state',
  verdict: 'verdict',
  version: 'version, also <1.34 and >=1.33',
  image: 'boot image',
  zone: 'failure domain',
  role: 'control-plane or worker',
  error: 'yes or no',
} as const
export type FilterKey = keyof typeof FILTER_KEYS

/** Where there are only so many words: another one is a slip, not a filter that nothing matches. */
const VOCABULARY: Partial<Record<FilterKey, readonly string[]>> = {
  state: Object.keys(MACHINE_STATES),
  verdict: VERDICTS,
  role: ['control-plane', 'worker'],
  error: ['yes', 'no'],
}
const SYNONYMS: Partial<Record<FilterKey, readonly string[]>> = {
  role: ['control', 'controlplane', 'workers'],
  error: ['true', 'false', 'none'],
}

export type Operator = '=' | '<' | '<=' | '>' | '>='

export interface Term {
  key: FilterKey
  not: boolean
  operator: Operator
  /** Any of these. */
  values: string[]
}

export interface Filter {
  terms: Term[]
  /** Each must be found in the name, the node or the error. */
  words: string[]
  /** What could not be understood, one sentence each; the rest still filters. */
  problems: string[]
}

const TOKEN = /(?:[^\s"]|"[^"]*"?)+/g
const ORDERED = /^(<=|>=|<|>)(.*)$/
const unquote = (text: string) => text.replaceAll('"', '')

/** Reads `cluster:atlas phase:Failed version:<1.34 verdict:!replace word`. Never throws: people type it letter by letter. */
export function parseFilter(text: string): Filter {
  const filter: Filter = { terms: [], words: [], problems: [] }
  if (text.split('"').length % 2 === 0) filter.problems.push('A quotation mark is opened and not closed.')
  for (const token of text.match(TOKEN) ?? []) {
    const colon = token.startsWith('"') ? -1 : token.indexOf(':')
    const name = token.slice(0, colon).toLowerCase()
    if (colon < 1 || !/^-?[a-z]+$/.test(name)) addWord(filter, token)
    else addTerm(filter, name, token.slice(colon + 1))
  }
  return filter
}

function addWord(filter: Filter, token: string): void {
  const word = unquote(token).trim().toLowerCase()
  if (word && word !== '*') filter.words.push(word)
}

function addTerm(filter: Filter, name: string, raw: string): void {
  const key = (name.startsWith('-') ? name.slice(1) : name) as FilterKey
  if (!Object.hasOwn(FILTER_KEYS, key)) {
    filter.problems.push(`There is no filter “${key}”; there are ${Object.keys(FILTER_KEYS).join(', ')}.`)
    return
  }
  const bang = raw.startsWith('!')
  const rest = bang ? raw.slice(1) : raw
  const [, operator = '=', operand = rest] = ORDERED.exec(rest) ?? []
  const values = operand
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((value) => unquote(value).trim())
    .filter((value) => value !== '' && value !== '*')
  if (values.length === 0) {
    if (!operand.includes('*')) filter.problems.push(`“${key}:” stands without a value: ${FILTER_KEYS[key]}.`)
    return
  }
  if (operator !== '=' && (key !== 'version' || !versionKey(withMinor(values[0]!)))) {
    filter.problems.push(`“${operator}” compares versions, as in version:<1.34.`)
    return
  }
  const strange = values.filter((value) => !isWordOf(key, value))
  for (const value of strange)
    filter.problems.push(`There is no ${key} “${value}”; there are ${VOCABULARY[key]?.join(', ')}.`)
  const meant = values.filter((value) => !strange.includes(value))
  if (meant.length > 0)
    filter.terms.push({ key, not: bang !== name.startsWith('-'), operator: operator as Operator, values: meant })
}

function isWordOf(key: FilterKey, value: string): boolean {
  const words = VOCABULARY[key]
  return !words || [...words, ...(SYNONYMS[key] ?? [])].includes(value.toLowerCase())
}

/** "1" and "v1.34" are versions, too. */
export const withMinor = (version: string): string => (/^v?\d+$/.test(version) ? `${version}.0` : version)

const quote = (value: string) => (/[\s",]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)

export function formatTerm({ key, not, operator, values }: Term): string {
  return `${key}:${not ? '!' : ''}${operator === '=' ? '' : operator}${values.map(quote).join(',')}`
}

export const formatFilter = ({ terms, words }: Pick<Filter, 'terms' | 'words'>): string =>
  [
    ...terms.map(formatTerm),
    ...words.map((word) => (/[\s:"]/.test(word) ? `"${word.replaceAll('"', '')}"` : word)),
  ].join(' ')

/** The filter with one value of a facet switched on or off. */
export function toggled(text: string, key: FilterKey, value: string): string {
  const filter = parseFilter(text)
  const term = filter.terms.find((t) => t.key === key && !t.not && t.operator === '=')
  if (!term) filter.terms.push({ key, not: false, operator: '=', values: [value] })
  else if (term.values.includes(value)) term.values = term.values.filter((v) => v !== value)
  else term.values.push(value)
  return formatFilter({ ...filter, terms: filter.terms.filter((t) => t.values.length > 0) })
}

export const isOn = (filter: Filter, key: FilterKey, value: string): boolean =>
  filter.terms.some((t) => t.key === key && !t.not && t.operator === '=' && t.values.includes(value))
