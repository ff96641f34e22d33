import { isShellName } from '../../shell'
import type { LabelSelector } from '../../skew/types'
import { isLabelKey, isLabelValue, matches, OPERATORS } from '../enrol'
import type { ImageSet } from '../types'

export type SelectorOperator = (typeof OPERATORS)[number]

/** One line of the form: values stand for In and NotIn only. */
export interface SelectorRow {
  key: string
  operator: SelectorOperator
  values: string[]
  /** The operator that is stored, where there is no such one. */
  stored?: string
}

interface RowProblem {
  row: number
  field: 'key' | 'values'
  message: string
}

const takesValues = (operator: SelectorOperator): boolean => operator === 'In' || operator === 'NotIn'

const OF_LABELS = 'letters, digits, “-”, “_” and “.”, at most 63, beginning and ending with a letter or digit'

/**
 * What is wrong with a selector that is being typed. The API server stores every operator and value, and the operator then
 * refuses its whole pass, over all machine sets.
 */
export function rowProblems(rows: readonly SelectorRow[]): RowProblem[] {
  return rows.flatMap(({ key, operator, values }, row): RowProblem[] => {
    const problems: RowProblem[] = []
    if (!key) problems.push({ row, field: 'key', message: 'Type the name of a label.' })
    else if (!isLabelKey(key))
      problems.push({
        ...{ row, field: 'key' as const },
        message: `${key} is no name of a label: ${OF_LABELS}, with an optional prefix and “/” before.`,
      })
    if (takesValues(operator) && values.length === 0)
      problems.push({ row, field: 'values', message: 'Type at least one value.' })
    const bad = takesValues(operator) ? values.find((value) => !isLabelValue(value)) : undefined
    if (bad !== undefined)
      problems.push({
        ...{ row, field: 'values' as const },
        message: `${bad} is no value of a label: ${OF_LABELS}.`,
      })
    return problems
  })
}

/** The selector of some lines: what is one value of one label is a matchLabel, as people write it. */
export function selectorOf(rows: readonly SelectorRow[]): LabelSelector {
  const matchLabels: Record<string, string> = {}
  const matchExpressions: NonNullable<LabelSelector['matchExpressions']> = []
  for (const { key, operator, values } of rows) {
    const [value] = values
    if (operator === 'In' && values.length === 1 && !Object.hasOwn(matchLabels, key)) matchLabels[key] = value!
    else matchExpressions.push({ key, operator, ...(takesValues(operator) && { values }) })
  }
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  }
}

/** The lines of a stored selector. In the form an operator that there is not is shown as In, to be put right. */
export function rowsOf({ matchLabels, matchExpressions }: LabelSelector): SelectorRow[] {
  return [
    ...Object.entries(matchLabels ?? {}).map(([key, value]): SelectorRow => ({ key, operator: 'In', values: [value] })),
    ...(matchExpressions ?? []).map(({ key, operator, values }): SelectorRow => {
      const known = OPERATORS.find((one) => one === operator)
      if (!known) return { key, operator: 'In', values: values ?? [], stored: operator }
      return { key, operator: known, values: takesValues(known) ? (values ?? []) : [] }
    }),
  ]
}

const NAMESPACE = 'openshift-machine-api'

/** What the system itself labels with, and goes by. */
const SYSTEMS = /^(?:[^/]+\.)?(?:openshift|kubernetes|k8s)\.io\//

/** How a machine set comes to be matched. */
interface Labelling {
  /** null: it would write labels that are the system's. */
  command: string | null
  systems: string[]
}

/**
 * The command that labels a machine set so that a selector matches it; null: it does already, or nothing that is a label can.
 * Drydock has no permission to change machine sets, and does not ask for it.
 */
export function labelling(rows: readonly SelectorRow[], set: Pick<ImageSet, 'name' | 'labels'>): Labelling | null {
  const selector = selectorOf(rows)
  if (rowProblems(rows).length > 0 || matches(selector, set.labels) !== false || !isShellName(set.name)) return null
  const labels: Record<string, string | null> = {}
  for (const row of rows) {
    if (matches(selectorOf([row]), set.labels) === true) continue
    labels[row.key] = row.operator === 'In' ? row.values[0]! : row.operator === 'Exists' ? 'true' : null
  }
  const after = Object.fromEntries(
    Object.entries({ ...set.labels, ...labels }).filter((entry): entry is [string, string] => entry[1] !== null),
  )
  // Two lines may contradict each other.
  if (matches(selector, after) !== true) return null
  const given = Object.entries(labels).map(([key, value]) => (value === null ? `${key}-` : `${key}=${value}`))
  const systems = Object.keys(labels).filter((key) => SYSTEMS.test(key))
  const command = `oc -n ${NAMESPACE} label machineset/${set.name} --overwrite ${given.join(' ')}`
  return { command: systems.length > 0 ? null : command, systems }
}
