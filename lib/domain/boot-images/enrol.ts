import type { LabelSelector, Managers } from '../skew/types'
import type { ImageSet } from './types'

const API_GROUP = 'machine.openshift.io'

/** Whether the operator manages a set's image under an effective configuration; `invalid`: the selector cannot be evaluated. */
export function enrolled(managers: Managers, set: Pick<ImageSet, 'kind' | 'labels'>): boolean | 'invalid' {
  const selector = selectorFor(managers, set.kind)
  return selector === undefined ? false : matches(selector, set.labels)
}

/** What selects the sets of a kind; undefined: none are managed. Modes other than All, Partial and None are as if they were not there. */
export function selectorFor(managers: Managers, kind: ImageSet['kind']): LabelSelector | undefined {
  const resource = kind === 'MachineSet' ? 'machinesets' : 'controlplanemachinesets'
  const manager = managers?.find(
    (m) =>
      m.resource === resource &&
      m.apiGroup === API_GROUP &&
      ['All', 'Partial', 'None'].includes(m.selection?.mode ?? ''),
  )
  if (!manager || manager.selection.mode === 'None') return undefined
  return manager.selection.mode === 'All' ? {} : (manager.selection.partial?.machineResourceSelector ?? undefined)
}

export const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Whether a label can have this name, with or without a prefix. */
export const isLabelKey = (key: string): boolean => {
  const [name, prefix, more] = key.split('/').reverse() as [string, string?, string?]
  return (
    NAME.test(name) && more === undefined && (prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix)))
  )
}
export const isLabelValue = (value: string): boolean => value === '' || NAME.test(value)

/** Why a label selector cannot be evaluated, whatever it is held against; undefined where it can. */
export function selectorProblem({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string | undefined {
  const bad = Object.entries(matchLabels ?? {}).find(([key, value]) => !isLabelKey(key) || !isLabelValue(value))
  if (bad) return `${bad[0]}=${bad[1]} is no label`
  for (const { key, operator, values } of matchExpressions ?? []) {
    const given = values ?? []
    if (!(OPERATORS as readonly string[]).includes(operator))
      return `"${operator}" is not a valid label selector operator`
    if (!isLabelKey(key)) return `${key || '(empty)'} is no name of a label`
    if (operator.endsWith('In') !== given.length > 0)
      return operator.endsWith('In') ? `${operator} needs values` : `${operator} takes no values`
    const value = given.find((v) => !isLabelValue(v))
    if (value !== undefined) return `${value} is no value of a label`
  }
  return undefined
}

/** Label selector semantics; only the object's own labels count, and an empty selector matches everything. */
export function matches(selector: LabelSelector, labels: Record<string, string>): boolean | 'invalid' {
  if (selectorProblem(selector)) return 'invalid'
  const has = (key: string): boolean => Object.hasOwn(labels, key)
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => has(key) && labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values }) => {
      const among = has(key) && (values ?? []).includes(labels[key] as string)
      return { In: among, NotIn: !among, Exists: has(key), DoesNotExist: !has(key) }[operator]
    })
  )
}
