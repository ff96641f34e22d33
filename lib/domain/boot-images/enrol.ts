import type { LabelSelector, Managers } from '../skew/types'
import type { ImageSet } from './types'

/** Whether the operator manages a set's image under an effective configuration; `invalid`: the selector cannot be evaluated. */
export function enrolled(managers: Managers, set: Pick<ImageSet, 'kind' | 'labels'>): boolean | 'invalid' {
  const resource = set.kind === 'MachineSet' ? 'machinesets' : 'controlplanemachinesets'
  const selection = managers?.find((m) => m.resource === resource)?.selection
  if (!selection || selection.mode === 'None') return false
  if (selection.mode === 'All') return true
  return matches(selection.partial?.machineResourceSelector ?? {}, set.labels)
}

/** Label selector semantics; only the object's own labels count, and an empty selector matches everything. */
export function matches(selector: LabelSelector, labels: Record<string, string>): boolean | 'invalid' {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const has = key in labels
    const among = has && values.includes(labels[key] as string)
    switch (operator) {
      case 'In':
        if (!among) return false
        break
      case 'NotIn':
        if (among) return false
        break
      case 'Exists':
        if (!has) return false
        break
      case 'DoesNotExist':
        if (has) return false
        break
      default:
        return 'invalid'
    }
  }
  return true
}
