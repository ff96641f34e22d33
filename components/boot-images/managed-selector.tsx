import { useId } from 'react'
import { Button, problemOf, Select, TextInput } from '@/components/ui'
import type { SelectorOperator, SelectorRow } from '@/lib/domain/boot-images/managed/selector'
import { RULES } from './words'

/** A line as it is typed: values behind commas. */
export interface TypedRow {
  key: string
  operator: SelectorOperator
  values: string
}

export const typedRows = (rows: readonly SelectorRow[]): TypedRow[] =>
  rows.map(({ key, operator, values }) => ({ key, operator, values: values.join(', ') }))

interface Props {
  rows: TypedRow[]
  /** What the machine sets have, to choose from. */
  labels: Record<string, string[]>
  fields: { field: string; message: string }[]
  onChange(rows: TypedRow[]): void
}

const OPERATORS = Object.entries(RULES) as [SelectorOperator, string][]

/** Lines that a set has to fulfil, all of them. */
export function SelectorRows({ rows, labels, fields, onChange }: Props) {
  const id = useId()
  // Before anything is typed nothing is wrong.
  const [first, ...more] = rows
  const untouched = more.length === 0 && first?.key === '' && first.values === '' && first.operator === 'In'
  const told = untouched ? [] : fields
  const put = (at: number, change: Partial<TypedRow>) =>
    onChange(rows.map((row, i) => (i === at ? { ...row, ...change } : row)))
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">Labels that a machine set must have, all of them</legend>
      <datalist id={`${id}-keys`}>
        {Object.keys(labels).map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      {rows.map((row, at) => (
        <div
          key={at}
          className="grid grid-cols-[minmax(0,1fr)_110px_minmax(0,1fr)_auto] items-start gap-2 max-phone:grid-cols-1"
        >
          <TextInput
            label="Label"
            mono
            list={`${id}-keys`}
            value={row.key}
            onChange={(e) => put(at, { key: e.target.value })}
            problem={problemOf(told, `sets.rows.${at}.key`)}
            spellCheck={false}
            autoComplete="off"
          />
          <Select
            label="Rule"
            value={row.operator}
            onChange={(e) => put(at, { operator: e.target.value as SelectorOperator })}
          >
            {OPERATORS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
          {row.operator === 'In' || row.operator === 'NotIn' ? (
            <TextInput
              label="Values"
              mono
              placeholder={labels[row.key]?.join(', ')}
              value={row.values}
              onChange={(e) => put(at, { values: e.target.value })}
              problem={problemOf(told, `sets.rows.${at}.values`)}
              spellCheck={false}
              autoComplete="off"
            />
          ) : (
            <span />
          )}
          <Button
            small
            tone="bare"
            className="mt-6 max-phone:mt-0"
            disabled={rows.length === 1}
            onClick={() => onChange(rows.filter((_, i) => i !== at))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button small onClick={() => onChange([...rows, { key: '', operator: 'In', values: '' }])}>
          Add a line
        </Button>
      </div>
    </fieldset>
  )
}
