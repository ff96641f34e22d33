import type { Selector } from './types'

type Labels = Readonly<Record<string, string>>

/**
 * Whether a selector fits, as metav1.LabelSelectorAsSelector reads it; with an operator that nobody knows it fits nothing. A check
 * is only over machines of its own cluster and namespace, which is for whoever asks (machinehealthcheck_targets.go, getMachinesFromMHC).
 */
export const fits = ({ labels, expressions }: Selector, of: Labels): boolean =>
  Object.entries(labels).every(([key, value]) => of[key] === value) &&
  expressions.every(({ key, operator, values }) => OPERATORS[operator]?.(of[key], values) ?? false)

const OPERATORS: Record<string, (value: string | undefined, values: readonly string[]) => boolean> = {
  In: (value, values) => value !== undefined && values.includes(value),
  // What has no such label is not in either.
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
}
