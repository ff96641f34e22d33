interface Props {
  /** What a version does that is not to be recorded by mistake. */
  sentence: string
  checked: boolean
  onChange(on: boolean): void
}

/** Bound to one version by whoever keeps it: another one is to be confirmed anew. */
export function ConfirmVersion({ sentence, checked, onChange }: Props) {
  return (
    <label className="flex min-h-6 items-start gap-2 rounded-md border border-blocked/40 bg-blocked-soft px-3 py-2 pointer-coarse:min-h-11">
      <input type="checkbox" className="mt-1" checked={checked} onChange={(e) => onChange(e.target.checked)} />
      <span className="text-pretty">{sentence} Record it all the same.</span>
    </label>
  )
}
