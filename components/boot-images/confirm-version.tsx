interface Props {
  /** What a version, or a return, does that is not to be done by mistake. */
  sentence: string
  /** A version is recorded with it. */
  records: boolean
  checked: boolean
  onChange(on: boolean): void
}

/** Bound to what was said by whoever keeps it: another sentence, or another version, is to be confirmed anew. */
export function ConfirmVersion({ sentence, records, checked, onChange }: Props) {
  return (
    <label className="flex min-h-6 items-start gap-2 rounded-md border border-blocked/40 bg-blocked-soft px-3 py-2 pointer-coarse:min-h-11">
      <input type="checkbox" className="mt-1" checked={checked} onChange={(e) => onChange(e.target.checked)} />
      <span className="text-pretty">
        {sentence} {records ? 'Record it' : 'Do it'} all the same.
      </span>
    </label>
  )
}
