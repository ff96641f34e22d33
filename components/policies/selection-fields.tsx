import { Select, TextInput } from '@/components/ui'
import type { TypedSelection } from './typed-selection'
import { kindChoices, LABELS } from './words'

interface Bound {
  value: string
  problem?: string
  onChange(event: { target: { value: string } }): void
}

interface Props {
  bind(key: keyof TypedSelection): Bound
  readOnly: boolean
  /** What stands in fields where nothing is typed. */
  examples?: Partial<Record<keyof TypedSelection, string>>
  labelsHint?: string
}

/** Which groups a policy, or one of its waves, is for. */
export function SelectionFields({ bind, readOnly, examples, labelsHint }: Props) {
  const text = (key: keyof TypedSelection) => ({
    ...{ ...bind(key), label: LABELS[`select.${key}`], placeholder: examples?.[key] ?? 'any', mono: true, readOnly },
  })
  const kinds = bind('kinds')
  return (
    <>
      <TextInput {...text('labels')} hint={labelsHint} />
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        <TextInput {...text('workloadClusters')} />
        <TextInput {...text('clusters')} />
        <TextInput {...text('namespaces')} />
        <TextInput {...text('names')} />
      </div>
      <Select label={LABELS['select.kinds']} {...kinds} disabled={readOnly}>
        {kindChoices(kinds.value).map(({ value, words }) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Select>
    </>
  )
}
