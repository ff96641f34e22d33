import { useEffect, useId, useRef } from 'react'
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

export const EMPTY: TypedRow = { key: '', operator: 'In', values: '' }

/** Those that are asked about: before anything is typed in a line nothing is wrong with it, and it says nothing. */
export const touched = (rows: readonly TypedRow[]): TypedRow[] =>
  rows.filter(({ key, operator, values }) => key !== '' || values !== '' || operator !== 'In')

interface Props {
  rows: TypedRow[]
  /** What the machine sets have, to choose from. */
  labels: Record<string, string[]>
  /** Of the lines that are asked about, by their places among these. */
  fields: { field: string; message: string }[]
  onChange(rows: TypedRow[]): void
}

const OPERATORS = Object.entries(RULES) as [SelectorOperator, string][]

/** Lines that a set has to fulfil, all of them. */
export function SelectorRows({ rows, labels, fields, onChange }: Props) {
  const id = useId()
  const list = useRef<HTMLFieldSetElement>(null)
  // Which line the cursor goes to once it is drawn: a button that is gone, or goes out of use, would drop it.
  const next = useRef<number | null>(null)
  useEffect(() => {
    if (next.current !== null) list.current?.querySelectorAll<HTMLInputElement>('input[list]')[next.current]?.focus()
    next.current = null
  }, [rows.length])
  const asked = touched(rows)
  const line = (at: number) => (rows.length === 1 ? '' : ` of line ${at + 1}`)
  const resize = (to: TypedRow[], cursor: number) => {
    next.current = cursor
    onChange(to)
  }
  const put = (at: number, change: Partial<TypedRow>) =>
    onChange(rows.map((row, i) => (i === at ? { ...row, ...change } : row)))
  return (
    <fieldset ref={list} className="grid gap-3">
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
            aria-label={`Label${line(at)}`}
            mono
            list={`${id}-keys`}
            value={row.key}
            onChange={(e) => put(at, { key: e.target.value })}
            problem={problemOf(fields, `sets.rows.${asked.indexOf(row)}.key`)}
            spellCheck={false}
            autoComplete="off"
          />
          <Select
            label="Rule"
            aria-label={`Rule${line(at)}`}
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
              aria-label={`Values${line(at)}`}
              mono
              placeholder={labels[row.key]?.join(', ')}
              value={row.values}
              onChange={(e) => put(at, { values: e.target.value })}
              problem={problemOf(fields, `sets.rows.${asked.indexOf(row)}.values`)}
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
            aria-label={`Remove${line(at).replace(' of', '')}`}
            disabled={rows.length === 1}
            onClick={() =>
              resize(
                rows.filter((_, i) => i !== at),
                Math.min(at, rows.length - 2),
              )
            }
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button small onClick={() => resize([...rows, EMPTY], rows.length)}>
          Add a line
        </Button>
      </div>
    </fieldset>
  )
}
