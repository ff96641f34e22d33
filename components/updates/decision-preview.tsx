import { CodeBlock, pretty, Sentences, Skeleton } from '@/components/ui'
import type { DecisionPreview } from '@/lib/services/changes/preview-decision'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import { MovesList } from './moves-list'

/** What a decision does, before it is made: in sentences, and as the call. */
export function Preview({
  preview,
  change,
  mode,
}: {
  preview: DecisionPreview
  change: UpdateDetail
  mode: DecisionMode
}) {
  return (
    <>
      <section>
        <h2 className="mb-1">What will happen</h2>
        <p className="mb-2 text-pretty">{preview.headline}</p>
        {mode !== 'reject' && <MovesList change={change} mode={mode} />}
      </section>
      <Sentences title="What cannot be undone" items={preview.irreversible} />
      <section className="min-w-0">
        <h2 className="mb-1">What Drydock will do to the cluster</h2>
        <p className="mb-2 text-pretty text-ink-2">
          Right before, it reads the object anew: where that wants something else than is shown here, nothing is sent.
        </p>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {preview.calls.map((call, i) => (
            <CodeBlock
              key={i}
              label={`${call.method} ${call.path} · ${call.contentType}`}
              text={pretty(withoutVersion(call.body))}
            />
          ))}
        </div>
      </section>
    </>
  )
}

/** The patch carries the resourceVersion of the reading right before it; the one of the preview is of no account. */
function withoutVersion(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('metadata' in body)) return body
  const { metadata } = body
  if (typeof metadata !== 'object' || metadata === null || !('resourceVersion' in metadata)) return body
  return { ...body, metadata: { ...metadata, resourceVersion: '(the version at that moment)' } }
}

export function PreviewSkeleton() {
  return (
    <div className="grid gap-3" aria-busy>
      <span role="status" className="sr-only">
        Reading the object from the cluster
      </span>
      <Skeleton width={140} />
      <Skeleton />
      <Skeleton width={180} />
      <Skeleton height={120} />
    </div>
  )
}
