import { Sentences, Skeleton } from '@/components/ui'
import type { SeveralPreview } from '@/lib/services/changes/preview-several'
import { Going, Out } from './lists'
import { inAllWords } from './words'

export const LeftOutOnes = ({ all }: { all: SeveralPreview['leftOut'] }) =>
  all.length > 0 && (
    <section>
      <h2 className="mb-1">Left out</h2>
      <Out all={all} />
    </section>
  )

/** What would become of each, and what is left out. */
export function Before({ preview }: { preview: SeveralPreview }) {
  const { mode, rows, leftOut, irreversible, watched } = preview
  return (
    <>
      <section>
        <h2 className="mb-1">What will happen</h2>
        {inAllWords(preview).map((words) => (
          <p key={words} className="max-w-[64ch] text-pretty">
            {words}
          </p>
        ))}
        {rows.length > 0 && (
          <div className="mt-2">
            <Going rows={rows} />
          </div>
        )}
      </section>
      <LeftOutOnes all={leftOut} />
      <Sentences title="What cannot be undone" items={irreversible} />
      {watched > 0 && (
        <p className="max-w-[64ch] text-pretty text-ink-2">
          {`Health checks watch the clusters of ${watched} of them: what they may do in the middle of an update stands on each one’s page.`}
        </p>
      )}
      {rows.length > 0 && (
        <p className="max-w-[64ch] text-pretty text-ink-2">
          The calls to the cluster stand on each one’s page. Right before, each object is read anew: where one
          {mode === 'reject' ? ' wants something else' : ' wants something else, or fewer machines,'} than now, nothing
          is sent for it, and the others go on.
        </p>
      )}
    </>
  )
}

export function Loading() {
  return (
    <div className="grid gap-3" aria-busy>
      <span role="status" className="sr-only">
        Looking at what was selected
      </span>
      <Skeleton width={220} />
      <Skeleton height={48} />
      <Skeleton height={48} />
      <Skeleton height={48} />
    </div>
  )
}
