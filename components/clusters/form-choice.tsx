'use client'

const FORMS = {
  watch: 'Held by pausing: seen after it was stored, nothing is installed',
  webhook: 'Latched in the same write: a webhook that Drydock’s gate has to answer',
} as const
type Form = keyof typeof FORMS

/** Where there are pools and no admission policies, somebody chooses how strongly changes are held; what each costs stands below. */
export function FormChoice({ chosen, onChange }: { chosen: string; onChange(form: Form): void }) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-sm text-ink-3">How changes of pools are held</legend>
      {(Object.keys(FORMS) as Form[]).map((form) => (
        <label key={form} className="flex min-h-6 items-start gap-2 pointer-coarse:min-h-11">
          <input type="radio" name="form" checked={chosen === form} onChange={() => onChange(form)} className="mt-1" />
          <span>{FORMS[form]}</span>
        </label>
      ))}
    </fieldset>
  )
}
