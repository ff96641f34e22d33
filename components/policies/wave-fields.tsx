import { Button, Select, TextInput } from '@/components/ui'
import type { Failed } from '@/components/live'
import type { Bind } from '@/components/updaters/form'
import { useNextFocus } from './next-focus'
import { SelectionFields } from './selection-fields'
import { EMPTY_WAVE, newName, type Typed, type TypedWave } from './typed'
import { PART_LABELS } from './words'

interface Props {
  typed: Typed
  bind: Bind<Typed>
  put(part: Partial<Typed>): void
  fields: Failed['fields']
  readOnly: boolean
}

/** In which order groups go. */
export function WaveFields({ typed, bind, put, fields, readOnly }: Props) {
  const { waves } = typed
  /** Whoever moved a wave stays with it; who added one types on in it, and who removed one is at the button below. */
  const goTo = useNextFocus(waves)
  const move = (from: number, to: number) => {
    const on = to === 0 ? 'later' : to === waves.length - 1 ? 'earlier' : to < from ? 'earlier' : 'later'
    goTo(`#${buttonId(to, on)}`)
    put({ waves: waves.with(from, waves[to]!).with(to, waves[from]!) })
  }
  const all = fields?.find(({ field }) => field === 'spec.waves')?.message
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1">
        <h2 className="text-md font-medium">In which order groups go</h2>
      </legend>
      <p className="-mt-1 text-sm text-ink-3">
        Groups that come to want the same go one wave after the other: what is approved waits until its wave is open.
        What fits no wave comes last.
      </p>
      <Select label="Waves" {...bind('atOnce')} disabled={readOnly}>
        <option value="">{waves.length > 0 ? 'those below' : 'not said (what a wider policy says holds)'}</option>
        <option value="none">all at once, whatever a wider policy says</option>
      </Select>
      {!typed.atOnce &&
        waves.map((wave, i) => (
          <OneWave
            key={i}
            index={i}
            last={i === waves.length - 1}
            wave={wave}
            move={(by) => move(i, i + by)}
            readOnly={readOnly}
            fields={fields}
            change={(part) => put({ waves: waves.map((one, at) => (at === i ? { ...one, ...part } : one)) })}
            remove={() => {
              goTo(`#${ADD}`)
              put({ waves: waves.filter((_, at) => at !== i) })
            }}
          />
        ))}
      {all && (
        <p role="alert" className="text-sm text-blocked">
          {all}
        </p>
      )}
      {!readOnly && !typed.atOnce && (
        <div>
          <Button
            small
            id={ADD}
            onClick={() => {
              goTo(`#${waveId(waves.length)} input`)
              put({ waves: [...waves, { ...EMPTY_WAVE, name: newName(waves) }] })
            }}
          >
            Add a wave
          </Button>
        </div>
      )}
    </fieldset>
  )
}

const ADD = 'add-wave'
const waveId = (index: number): string => `wave-${index}`
const buttonId = (index: number, which: 'earlier' | 'later'): string => `${waveId(index)}-${which}`

function OneWave({
  index,
  last,
  wave,
  change,
  move,
  remove,
  fields,
  readOnly,
}: {
  index: number
  last: boolean
  wave: TypedWave
  change(part: Partial<TypedWave>): void
  move(by: -1 | 1): void
  remove(): void
  fields: Failed['fields']
  readOnly: boolean
}) {
  const at = `spec.waves.${index}.`
  const bind = (key: keyof TypedWave) => ({
    value: wave[key],
    problem: fields?.find(({ field }) => field === `${at}${key}` || field.startsWith(`${at}select.${key}`))?.message,
    onChange: (event: { target: { value: string } }) => change({ [key]: event.target.value }),
  })
  const text = (key: keyof TypedWave) => ({ ...bind(key), readOnly, mono: true })
  return (
    <fieldset id={waveId(index)} className="grid gap-3 rounded-md border border-line bg-panel p-3">
      <legend className="sr-only">wave {index + 1}</legend>
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        <TextInput label={`Wave ${index + 1}`} {...text('name')} placeholder={index === 0 ? 'canary' : 'tenth'} />
        <TextInput
          label={PART_LABELS.size}
          {...text('size')}
          placeholder="all that fit"
          hint="3, or 10% of those that the policy is for."
        />
      </div>
      <SelectionFields bind={bind} readOnly={readOnly} examples={index === 0 ? { labels: 'tier=canary' } : {}} />
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        <TextInput label={PART_LABELS.soak} {...text('soak')} placeholder="nothing" hint="30m, 24h or 7d." />
        <Select label={PART_LABELS.ownApproval} {...bind('ownApproval')} disabled={readOnly}>
          <option value="">by itself</option>
          <option value="yes">when somebody says so</option>
        </Select>
      </div>
      {!readOnly && (
        <div className="flex flex-wrap justify-end gap-2">
          {index > 0 && (
            <Button
              small
              id={buttonId(index, 'earlier')}
              onClick={() => move(-1)}
              aria-label={`Move wave ${index + 1} earlier`}
            >
              Earlier
            </Button>
          )}
          {!last && (
            <Button
              small
              id={buttonId(index, 'later')}
              onClick={() => move(1)}
              aria-label={`Move wave ${index + 1} later`}
            >
              Later
            </Button>
          )}
          <Button small onClick={remove} aria-label={`Remove wave ${index + 1}`}>
            Remove
          </Button>
        </div>
      )}
    </fieldset>
  )
}
