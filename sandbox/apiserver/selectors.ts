import type { SandboxObject } from '../types'
import { badRequest } from './status'

export type Selector = (object: SandboxObject) => boolean

interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

/** A LabelSelector as objects carry it; empty or missing selects everything. */
export function selects(selector: LabelSelector | undefined, labels: Record<string, string> = {}): boolean {
  if (!selector) return true
  const exact = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value)
  return exact && (selector.matchExpressions ?? []).every((one) => expression(one, labels))
}

function expression(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] },
  labels: Record<string, string>,
) {
  const value = labels[key]
  if (operator === 'In') return value !== undefined && values.includes(value)
  if (operator === 'NotIn') return value === undefined || !values.includes(value)
  if (operator === 'Exists') return value !== undefined
  return operator === 'DoesNotExist' && value === undefined
}

const SET = /^([^\s!=,()]+)\s+(in|notin)\s+\(([^()]*)\)$/
const EQUAL = /^([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)$/

/** The labelSelector parameter. */
export function labelSelector(text: string | null): Selector | undefined {
  if (!text) return undefined
  const requirements = text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const set = SET.exec(part)
      if (set) {
        const values = set[3]!.split(',').map((value) => value.trim())
        return { key: set[1]!, operator: set[2] === 'in' ? 'In' : 'NotIn', values }
      }
      const equal = EQUAL.exec(part)
      if (equal) return { key: equal[1]!, operator: equal[2] === '!=' ? 'NotIn' : 'In', values: [equal[3]!] }
      if (/^!?[^\s!=,()]+$/.test(part))
        return part.startsWith('!')
          ? { key: part.slice(1), operator: 'DoesNotExist' }
          : { key: part, operator: 'Exists' }
      const [, odd] = part.split(/\s+/)
      throw badRequest(`unable to parse requirement: found '${odd ?? part}', expected: in, notin, =, ==, !=, gt, lt`)
    })
  return (object) => requirements.every((one) => expression(one, object.metadata.labels ?? {}))
}

const EVENT_FIELDS = [
  'involvedObject.kind',
  'involvedObject.name',
  'involvedObject.namespace',
  'involvedObject.uid',
  'reason',
  'type',
]

/** The fieldSelector parameter: name and namespace, and for Events what they are about. */
export function fieldSelector(text: string | null, events: boolean): Selector | undefined {
  if (!text) return undefined
  const wanted = text.split(',').map((part) => {
    const found = /^([\w.]+)(==|=|!=)(.*)$/.exec(part)
    if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`)
    const [, field, operator, value] = found as unknown as [string, string, string, string]
    const known =
      field === 'metadata.name' || field === 'metadata.namespace' || (events && EVENT_FIELDS.includes(field))
    if (!known) throw badRequest(`field label not supported: ${field}`)
    return { path: field.split('.'), equal: operator !== '!=', value }
  })
  return (object) =>
    wanted.every(({ path, equal, value }) => {
      const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object)
      return (String(found ?? '') === value) === equal
    })
}

export const both = (a: Selector | undefined, b: Selector | undefined): Selector | undefined =>
  a && b ? (object) => a(object) && b(object) : (a ?? b)
