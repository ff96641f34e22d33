import type { Json, JsonObject } from '../json'
import { ABOUT, MANAGED_BY } from './names'

export interface LatchFinding {
  kind: string
  name: string
  /** not-ours: an object of that name exists that Drydock did not make. leftover: ours, but no longer wanted. */
  state: 'intact' | 'missing' | 'changed' | 'not-ours' | 'leftover'
  /** Where it differs: "spec.failurePolicy", at most ten. */
  differences: string[]
}

/** Any object as the API server returned it; only its identity, label and content matter here. */
export type Found = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
}

const [LABEL, OURS] = Object.entries(MANAGED_BY)[0]!
const labelled = ({ metadata }: Found) => metadata.labels?.[LABEL] === OURS
const unlabelled = ({ metadata }: Found) => metadata.labels?.[LABEL] === undefined

/** Made by Drydock, also where somebody took the label off. Another label says that somebody else claims it. */
export const bearsOurMark = (found: Found): boolean =>
  labelled(found) || (unlabelled(found) && found.metadata.annotations?.[ABOUT] !== undefined)

/** What was wanted against what is there: one finding per object. */
export function latchDiff(wanted: readonly JsonObject[], found: readonly Found[]): LatchFinding[] {
  const key = (o: { kind: string; metadata: { name: string } }) => `${o.kind}/${o.metadata.name}`
  const there = new Map(found.map((o) => [key(o), o]))
  const findings = wanted.map((object): LatchFinding => {
    const { kind, metadata } = object as unknown as Found
    const other = there.get(key({ kind, metadata }))
    there.delete(key({ kind, metadata }))
    if (!other) return { kind, name: metadata.name, state: 'missing', differences: [] }
    const content = contentDifferences(object, other as unknown as JsonObject)
    const ours = bearsOurMark(other) || (unlabelled(other) && content.length === 0)
    if (!ours) return { kind, name: metadata.name, state: 'not-ours', differences: [] }
    const differences = labelled(other) ? content : ['metadata.labels', ...content]
    return { kind, name: metadata.name, state: differences.length ? 'changed' : 'intact', differences }
  })
  const leftovers = [...there.values()].filter((o) => bearsOurMark(o) && o.metadata.name.startsWith('drydock-'))
  return [
    ...findings,
    ...leftovers.map((o) => ({ kind: o.kind, name: o.metadata.name, state: 'leftover' as const, differences: [] })),
  ]
}

export function latchState(findings: readonly LatchFinding[]): 'intact' | 'missing' | 'changed' | 'not-ours' {
  for (const state of ['not-ours', 'missing', 'changed'] as const) {
    if (findings.some((f) => f.state === state || (state === 'changed' && f.state === 'leftover'))) return state
  }
  return 'intact'
}

const CONTENT = ['spec', 'webhooks']

function contentDifferences(wanted: JsonObject, found: JsonObject): string[] {
  return CONTENT.flatMap((field) => differences(wanted[field] ?? null, found[field] ?? null, field)).slice(0, 10)
}

/** Fields that the server adds do not count where they say nothing: newer servers default what older ones do not know. */
const saysNothing = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0) ||
  value === '' ||
  value === '*'

/** Where two values differ, as paths below `path`. */
export function differences(wanted: Json, found: Json, path: string): string[] {
  if (Array.isArray(wanted) && Array.isArray(found)) {
    if (wanted.length !== found.length) return [path]
    return wanted.flatMap((item, i) => differences(item, found[i] ?? null, `${path}[${i}]`))
  }
  if (isObject(wanted) && isObject(found)) {
    const keys = [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    return keys.flatMap((key) => {
      const at = `${path}.${key}`
      const [a, b] = [wanted[key], found[key]]
      if (saysNothing(a) && saysNothing(b)) return []
      return a === undefined || b === undefined ? [at] : differences(a, b, at)
    })
  }
  return wanted === found ? [] : [path]
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
