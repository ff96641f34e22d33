import type { ExtensionConfig } from '../kinds'

/** Label selector of the API; empty or absent selects everything. */
export function matches(selector: ExtensionConfig['spec']['namespaceSelector'], labels: Record<string, string>) {
  const wanted = Object.entries(selector?.matchLabels ?? {})
  if (!wanted.every(([key, value]) => labels[key] === value)) return false
  return (selector?.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels[key]
    if (operator === 'In') return value !== undefined && values.includes(value)
    if (operator === 'NotIn') return value === undefined || !values.includes(value)
    if (operator === 'Exists') return value !== undefined
    if (operator === 'DoesNotExist') return value === undefined
    throw new Error(`namespaceSelector has the unknown operator "${operator}"`)
  })
}
