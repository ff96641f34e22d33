import { Select } from '@/components/ui'
import type { Failed } from '@/components/live'
import type { Bind } from '@/components/updaters/form'
import { SpanFields, TimeZones } from './span-fields'
import type { Typed } from './typed'

interface Props {
  typed: Typed
  bind: Bind<Typed>
  put(part: Partial<Typed>): void
  fields: Failed['fields']
  readOnly: boolean
}

/** When machines may move. */
export function TimesFields({ typed, bind, put, fields, readOnly }: Props) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1">
        <h2 className="text-md font-medium">When machines may move</h2>
      </legend>
      <p className="-mt-1 text-sm text-ink-3">
        What is approved outside a window, or in a freeze, goes by itself when its time comes. What is under way when it
        ends finishes the machines that have begun; the rest is held until the next window. Times are those of the
        place.
      </p>
      <h3 className="text-sm font-medium">Only in these windows</h3>
      <Select label="Windows" {...bind('always')} disabled={readOnly}>
        <option value="">
          {typed.windows.length > 0 ? 'those below' : 'not said (what a wider policy says holds)'}
        </option>
        <option value="always">at any time, whatever a wider policy says</option>
      </Select>
      {!typed.always && (
        <SpanFields
          what="windows"
          spans={typed.windows}
          put={(windows) => put({ windows })}
          fields={fields}
          readOnly={readOnly}
        />
      )}
      <h3 className="text-sm font-medium">Not in these freezes</h3>
      <p className="-mt-2 text-sm text-ink-3">
        Freezes of all policies that are for a group hold, none takes back another’s.
      </p>
      <SpanFields
        what="freezes"
        spans={typed.freezes}
        put={(freezes) => put({ freezes })}
        fields={fields}
        readOnly={readOnly}
      />
      <TimeZones />
    </fieldset>
  )
}
