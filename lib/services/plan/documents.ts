import { LineCounter, parseAllDocuments, type Document } from 'yaml'
import { inexact, isObject } from '@/lib/domain/changes'
import type { Json, JsonObject } from '@/lib/domain/json'
import { concernOf, type Concern } from './kinds'

export const MOST_DOCUMENTS = 200

export interface Given {
  line: number
  apiVersion: string
  kind: string
  namespace: string
  name: string
  concern: Concern
  object: JsonObject
}

export interface Wrong {
  line: number
  errorLine: number
  apiVersion: string
  kind: string
  namespace: string
  name: string
  sentence: string
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const short = (value: string): string => (value.length > 80 ? `${value.slice(0, 80)}…` : value)
/** RFC 1123 subdomains, as the API server has them. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const VERSION = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[a-z]([-a-z0-9]*[a-z0-9])?$/
const NAMELESS = { apiVersion: '', kind: '', namespace: '', name: '' }

/** Manifests, document by document. One that is wrong is said to be, by its line, and does not hide the others. */
export function readDocuments(manifests: string): { given: Given[]; wrong: Wrong[] } {
  const counter = new LineCounter()
  let documents: Document.Parsed[]
  try {
    const parsed = parseAllDocuments(manifests, { lineCounter: counter, prettyErrors: false, merge: true })
    documents = Array.isArray(parsed) ? parsed : []
  } catch {
    const sentence = 'This cannot be read as YAML: it is nested too deeply.'
    return { given: [], wrong: [{ ...NAMELESS, line: 1, errorLine: 1, sentence }] }
  }
  const given: Given[] = []
  const wrong: Wrong[] = []
  const taken = new Map<string, Given>()
  const lineAt = (offset: number): number => counter.linePos(offset).line
  for (const document of documents) {
    if (given.length + wrong.length > MOST_DOCUMENTS) break
    const start = document.contents?.range?.[0]
    const [problem] = document.errors
    if (problem) {
      const errorLine = lineAt(problem.pos[0])
      const line = Math.min(start === undefined ? errorLine : lineAt(start), errorLine)
      wrong.push({ ...NAMELESS, line, errorLine, sentence: `This is not YAML: ${yamlWords(problem.message)}` })
      continue
    }
    if (document.contents === null || start === undefined) continue
    const line = lineAt(start)
    const value = valueOf(document)
    if (typeof value === 'string') wrong.push({ ...NAMELESS, line, errorLine: line, sentence: value })
    else if (value !== null)
      for (const object of itemsOf(value))
        if (isObject(object)) take(object, line, { given, wrong, taken })
        else wrong.push({ ...NAMELESS, line, errorLine: line, sentence: 'Something in this List is no object.' })
  }
  return { given, wrong: wrong.sort((a, b) => a.line - b.line) }
}

const yamlWords = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`)

/** The object; null where the document holds nothing; a sentence where it is none. */
function valueOf(document: Document.Parsed): JsonObject | string | null {
  let value: Json
  try {
    const read = document.toJS({ maxAliasCount: 100 }) as Json | undefined
    if (inexact(read))
      return 'A number in this document cannot be kept exactly: put it in quotes, or write a smaller one.'
    value = JSON.parse(JSON.stringify(read ?? null)) as Json
  } catch {
    return 'This document refers to itself, or repeats its anchors too often: write it out.'
  }
  if (value === null) return null
  return isObject(value) ? value : 'This is not an object: a manifest begins with apiVersion and kind.'
}

/** A List, as `kubectl get -o yaml` prints it, is what it lists. */
function itemsOf(object: JsonObject): Json[] {
  if (!text(object.kind).endsWith('List') || !Array.isArray(object.items)) return [object]
  return object.items.slice(0, MOST_DOCUMENTS + 1)
}

interface Taking {
  given: Given[]
  wrong: Wrong[]
  taken: Map<string, Given>
}

function take(object: JsonObject, line: number, { given, wrong, taken }: Taking): void {
  const metadata = isObject(object.metadata) ? object.metadata : {}
  const named = {
    apiVersion: text(object.apiVersion),
    kind: text(object.kind),
    namespace: text(metadata.namespace),
    name: text(metadata.name),
  }
  const refuse = (sentence: string) => wrong.push({ ...named, line, errorLine: line, sentence })
  if (!named.apiVersion || !named.kind) return void refuse('apiVersion and kind are missing: which object is it?')
  if (!VERSION.test(named.apiVersion))
    return void refuse(`“${short(named.apiVersion)}” is no apiVersion: it is written as group/version.`)
  const concern = concernOf(named.apiVersion, named.kind)
  if (concern !== 'beside' && concern !== 'unplanned') {
    if (!named.name) return void refuse('metadata.name is missing. A plan needs to know which object it is about.')
    if (!named.namespace)
      return void refuse(
        'metadata.namespace is missing: Drydock does not guess it. Write down where it would be applied.',
      )
    const odd = [named.namespace, named.name].find((name) => name.length > 253 || !NAME.test(name))
    if (odd !== undefined && odd.length > 253)
      return void refuse(`“${short(odd)}” cannot be a name: names have at most 253 characters.`)
    if (odd !== undefined)
      return void refuse(
        `“${short(odd)}” cannot be a name: names are of lower case letters, digits, “-” and “.”, and begin and end with a letter or digit.`,
      )
    const same = taken.get(keyOf(named))
    if (same) return void refuse(`${named.kind} ${named.namespace}/${named.name} stands in line ${same.line} already.`)
  }
  const one = { ...named, line, concern, object }
  given.push(one)
  if (!taken.has(keyOf(one))) taken.set(keyOf(one), one)
}

const keyOf = (one: Pick<Given, 'apiVersion' | 'kind' | 'namespace' | 'name'>): string =>
  JSON.stringify([groupOf(one), one.kind, one.namespace, one.name])

const groupOf = ({ apiVersion }: { apiVersion: string }): string => apiVersion.split('/')[0]!
