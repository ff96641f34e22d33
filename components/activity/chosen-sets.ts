const SETS: Record<string, string> = { All: 'all machine sets', None: 'no machine set' }
const PLANE: Record<string, string> = { All: 'the control plane’s set, too', None: 'not the control plane’s set' }

interface Selector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

/** Which machine sets somebody chose to have managed: "machine sets with zone=a". */
export function chosenSets({ sets, selector, controlPlanes }: Record<string, unknown>): string[] {
  const { matchLabels = {}, matchExpressions = [] } = (selector ?? {}) as Selector
  const rows = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => `${key} ${operator} ${values.join(', ')}`.trim()),
  ]
  const some = rows.length > 1 ? `${rows.slice(0, -1).join(', ')} and ${rows.at(-1)}` : rows[0]
  const chosen = sets === 'Partial' && some ? `machine sets with ${some}` : SETS[String(sets)]
  return [chosen, PLANE[String(controlPlanes)]].filter((words) => words !== undefined)
}
