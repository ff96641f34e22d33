'use client'

import { AskAgain, type Asked } from '@/components/live'
import { Asking } from '@/components/openshift/asking'
import { isPast, Why, type Said } from '@/components/openshift/why'
import { Commit, count, ErrorState, Sheet } from '@/components/ui'
import type { Failure } from '@/lib/auth/failure'

interface Props<Row> {
  title: string
  crumb: string
  /** "Manage all machine sets on": what is done, before the number of clusters. */
  verb: string
  preview: Asked<Row[]>
  /** Those of its rows on which it goes. */
  goes: readonly Row[]
  act: { pending: boolean; error: Failure | null }
  said: Said
  onSaid(said: Said): void
  /** What a review date is for; null: there is none. */
  review: string | null
  /** How each is written, below all of them. */
  note: string
  /** What is chosen for all of them. */
  children?: React.ReactNode
  rowOf(row: Row): React.ReactNode
  onDecide(): void
  onClose(): void
}

/** One decision on several clusters, before it is made: what is chosen, what it does on each, and why. */
export function SeveralFrame<Row>({ title, crumb, verb, preview, goes, act, children, ...props }: Props<Row>) {
  return (
    <Sheet
      open
      onClose={props.onClose}
      width={640}
      crumb={crumb}
      title={title}
      footer={
        <Commit
          onClose={props.onClose}
          onClick={props.onDecide}
          pending={act.pending}
          disabled={preview.pending || goes.length === 0 || (props.review !== null && isPast(props.said))}
        >
          {preview.value ? `${verb} ${count(goes.length, 'cluster')}` : title}
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <ErrorState error={act.error} />
        <ErrorState error={preview.error} action={<AskAgain asked={preview} />} />
        {children}
        {preview.value ? (
          <section aria-busy={preview.pending} className={preview.pending ? 'opacity-60' : ''}>
            <p role="status" className="mb-2 text-pretty text-ink-2">
              {headline(preview.value.length, goes.length)}
            </p>
            <ul className="divide-y divide-line border-y border-line">{preview.value.map(props.rowOf)}</ul>
            <p className="mt-2 text-sm text-pretty text-ink-2">{props.note}</p>
          </section>
        ) : (
          !preview.error && <Asking height={240} />
        )}
        <Why
          said={props.said}
          onChange={props.onSaid}
          fields={act.error?.fields}
          hint="One for all, kept with each decision and in the audit."
          review={props.review}
        />
      </div>
    </Sheet>
  )
}

const headline = (all: number, goes: number): string =>
  goes === all
    ? `It goes on ${all === 1 ? 'the one' : all === 2 ? 'both' : `all ${all}`}.`
    : `It goes on ${goes} of ${all}; the others are left out, each with its reason.`
