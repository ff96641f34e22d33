'use client'

const WAYS = {
  pausing: 'Held by pausing: seen after it was stored, nothing is installed',
  'same-write': 'Latched in the same write: by the API server, or by a webhook that Drydock’s gate has to answer',
} as const
type Way = keyof typeof WAYS

/** Where there are pools, somebody chooses how strongly their changes are held; what each costs stands below. */
export function FormChoice({
  chosen,
  onChange,
  barred,
}: {
  chosen: string | null
  onChange(pools: Way): void
  barred: string | null
}) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-sm text-ink-3">How changes of pools are held</legend>
      {(Object.keys(WAYS) as Way[]).map((way) => (
        <label key={way} className="flex min-h-6 items-start gap-2 pointer-coarse:min-h-11">
          <input type="radio" name="pools" checked={chosen === way} onChange={() => onChange(way)} className="mt-1" />
          <span>{WAYS[way]}</span>
        </label>
      ))}
      {barred && <p className="text-pretty text-ink-2">{barred}</p>}
    </fieldset>
  )
}
