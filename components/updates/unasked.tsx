import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { unaskedWords } from './unasked-words'

/** What was approved in place, and nobody is asked about any more: before anything else that the page says of it. */
export function Unasked({ change }: { change: UpdateDetail }) {
  const told = unaskedWords(change)
  return (
    told && (
      <section
        aria-label="In place is not possible"
        className="mt-2 mb-3 grid max-w-[88ch] gap-1 rounded-md border border-needs/40 bg-needs-soft px-4 py-3"
      >
        <p className="font-medium text-pretty">{told.happened}</p>
        <p className="text-pretty wrap-anywhere">{told.now}</p>
        <p className="text-pretty">{told.next}</p>
      </section>
    )
  )
}
