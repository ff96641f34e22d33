import { Button, Select, TextInput } from '@/components/ui'
import type { Failed } from '@/components/live'
import type { Bind } from '@/components/updaters/form'
import { EMPTY_WAVE, type Typed, type TypedWave } from './typed'

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
            wave={wave}
            readOnly={readOnly}
            fields={fields}
            change={(part) => put({ waves: waves.map((one, at) => (at === i ? { ...one, ...part } : one)) })}
            remove={() => put({ waves: waves.filter((_, at) => at !== i) })}
          />
        ))}
      {all && (
        <p role="alert" className="text-sm text-blocked">
          {all}
        </p>
      )}
      {!readOnly && !typed.atOnce && (
        <div>
          <Button small onClick={() => put({ waves: [...waves, EMPTY_WAVE] })}>
            Add a wave
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function OneWave({
  index,
  wave,
  change,
  remove,
  fields,
  readOnly,
}: {
  index: number
  wave: TypedWave
  change(part: Partial<TypedWave>): void
  remove(): void
  fields: Failed['fields']
  readOnly: boolean
}) {
  const at = `spec.waves.${index}.`
  const bind = (key: Exclude<keyof TypedWave, 'besides'>) => ({
    value: wave[key],
    readOnly,
    problem: fields?.find(({ field }) => field === `${at}${key}` || field.startsWith(`${at}select.${key}`))?.message,
    onChange: (event: { target: { value: string } }) => change({ [key]: event.target.value }),
  })
  const besides = Object.keys(wave.besides)
  const others = [wave.labels, wave.workloadClusters, wave.names].some((value) => value !== '')
  /** Nothing is any where something else restricts it. */
  const any = besides.length > 0 ? 'not by these' : 'any'
  return (
    <fieldset className="grid gap-2 rounded-md border border-line bg-panel p-3">
      <legend className="sr-only">wave {index + 1}</legend>
      {besides.length > 0 && (
        <p className="text-sm text-ink-2">
          {others ? 'It selects by' : 'It selects only by'} {besides.join(' and ')}
          {others ? ' as well' : ''}, which is written as YAML.
        </p>
      )}
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        <TextInput label={`Wave ${index + 1}`} mono {...bind('name')} placeholder={index === 0 ? 'canary' : 'tenth'} />
        <TextInput
          label="How many groups"
          mono
          {...bind('size')}
          placeholder="all that fit"
          hint="3, or 10% of those that the policy is for."
        />
        <TextInput
          label="Labels of the workload cluster"
          mono
          {...bind('labels')}
          placeholder={besides.length > 0 ? any : 'tier=canary'}
        />
        <TextInput label="Workload clusters" mono {...bind('workloadClusters')} placeholder={any} />
        <TextInput label="Groups" mono {...bind('names')} placeholder={any} />
        <TextInput label="Then it soaks for" mono {...bind('soak')} placeholder="nothing" hint="30m, 24h or 7d." />
        <Select
          label="It begins"
          value={wave.ownApproval}
          disabled={readOnly}
          onChange={(event) => change({ ownApproval: event.target.value })}
        >
          <option value="">by itself</option>
          <option value="yes">when somebody says so</option>
        </Select>
        {!readOnly && (
          <div className="self-end justify-self-end">
            <Button small onClick={remove} aria-label={`Remove wave ${index + 1}`}>
              Remove
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  )
}
