import { useState, useSyncExternalStore } from 'react'
import { Button, Select, TextInput } from '@/components/ui'
import type { Failed } from '@/components/live'
import { useNextFocus } from './next-focus'
import { EMPTY_SPAN, type TypedSpan } from './typed'
import { PART_LABELS } from './words'

interface Props {
  /** "windows" or "freezes": as the policy calls them. */
  what: 'windows' | 'freezes'
  spans: TypedSpan[]
  put(spans: TypedSpan[]): void
  fields: Failed['fields']
  readOnly: boolean
}

const ONE = { windows: 'window', freezes: 'freeze' }
const REPEATS: [string, string][] = [
  ['', 'once'],
  ['FREQ=DAILY', 'every day'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'Monday to Friday'],
  ['FREQ=WEEKLY;BYDAY=SA,SU', 'Saturday and Sunday'],
  ['FREQ=MONTHLY;BYDAY=2TU', 'the second Tuesday of the month'],
]

/** Times by the clock of a place, one below the other. */
export function SpanFields({ what, spans, put, fields, readOnly }: Props) {
  // Whoever types a rule passes by others that have words of their own.
  const [typing, setTyping] = useState<boolean[]>([])
  const goTo = useNextFocus(spans)
  const add = `add-${what}`
  const all = fields?.find(({ field }) => field === `spec.${what}`)?.message
  return (
    <div className="grid gap-3">
      {spans.map((span, i) => (
        <SpanField
          key={i}
          id={`${what}-${i}`}
          name={`${ONE[what]} ${i + 1}`}
          span={span}
          problemOf={(key) =>
            fields?.find(({ field }) => named(key).some((name) => field === `spec.${what}.${i}.${name}`))?.message
          }
          change={(part) => put(spans.map((one, at) => (at === i ? { ...one, ...part } : one)))}
          remove={() => {
            goTo(`#${add}`)
            put(spans.filter((_, at) => at !== i))
            setTyping(spans.flatMap((_, at) => (at === i ? [] : [typing[at] === true])))
          }}
          typing={typing[i] === true}
          setTyping={(now) => setTyping(spans.map((_, at) => (at === i ? now : typing[at] === true)))}
          readOnly={readOnly}
        />
      ))}
      {all && (
        <p role="alert" className="text-sm text-blocked">
          {all}
        </p>
      )}
      {!readOnly && (
        <div>
          <Button
            small
            id={add}
            onClick={() => {
              goTo(`#${what}-${spans.length} input`)
              put([...spans, { ...FIRST[what], starts: tonight(), timeZone: spans.at(-1)?.timeZone ?? here() }])
            }}
          >
            Add a {ONE[what]}
          </Button>
        </div>
      )}
    </div>
  )
}

interface SpanProps {
  id: string
  name: string
  span: TypedSpan
  problemOf(key: keyof TypedSpan): string | undefined
  change(part: Partial<TypedSpan>): void
  remove(): void
  /** A rule of its own is being typed. */
  typing: boolean
  setTyping(typing: boolean): void
  readOnly: boolean
}

function SpanField({ id, name, span, problemOf, change, remove, typing, setTyping, readOnly }: SpanProps) {
  const own = typing || !REPEATS.some(([rule]) => rule === span.repeats)
  const bind = (key: keyof TypedSpan) => ({
    ...{ value: span[key], readOnly, problem: problemOf(key) },
    onChange: (event: { target: { value: string } }) => change({ [key]: event.target.value }),
  })
  const again = (value: string) => {
    setTyping(value === OWN)
    change({ repeats: value === OWN ? 'FREQ=WEEKLY;BYDAY=TU,TH' : value })
  }
  return (
    <fieldset id={id} className="grid gap-2 rounded-md border border-line bg-panel p-3">
      <legend className="sr-only">{name}</legend>
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        <TextInput label={PART_LABELS.starts} type="datetime-local" {...bind('starts')} />
        <TextInput
          label={PART_LABELS.lasts}
          mono
          {...bind('until')}
          placeholder="4h"
          hint="30m, 4h or 2d; or until 2026-12-24T06:00."
        />
        <Select
          label={PART_LABELS.repeats}
          value={own ? OWN : span.repeats}
          disabled={readOnly}
          onChange={(event) => again(event.target.value)}
        >
          {REPEATS.map(([rule, words]) => (
            <option key={rule} value={rule}>
              {words}
            </option>
          ))}
          <option value={OWN}>by a rule of its own</option>
        </Select>
        <TextInput
          label={PART_LABELS.timeZone}
          mono
          list="time-zones"
          {...bind('timeZone')}
          placeholder="Europe/Berlin"
        />
      </div>
      {own && <TextInput label="Rule (RFC 5545)" mono {...bind('repeats')} placeholder="FREQ=WEEKLY;BYDAY=TU,TH" />}
      <div className="flex items-end gap-3">
        <div className="grow">
          <TextInput label="Why (optional)" {...bind('why')} />
        </div>
        {!readOnly && (
          <Button small onClick={remove} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        )}
      </div>
    </fieldset>
  )
}
const OWN = 'rule'

/** A problem with either is one with what was typed. */
const named = (key: keyof TypedSpan): string[] => (key === 'until' ? ['lasts', 'ends'] : [key])

/** What can be followed from the beginning; people write over it. */
const FIRST = {
  windows: { ...EMPTY_SPAN, until: '4h', repeats: 'FREQ=DAILY' },
  freezes: { ...EMPTY_SPAN, until: '1d' },
}

/** By the clock of whoever writes. */
function tonight(): string {
  const now = new Date()
  const two = (n: number) => String(n).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}T22:00`
}

const here = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const NONE: string[] = []
let zones: string[] | undefined
const known = (): string[] => (zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone')])
const never = () => () => undefined

/** Every zone that this browser knows, for the inputs above; the server may know others. */
export function TimeZones() {
  const all = useSyncExternalStore(never, known, () => NONE)
  return (
    <datalist id="time-zones">
      {all.map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  )
}
