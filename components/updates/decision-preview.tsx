import type { ReactNode } from 'react'
import { CodeBlock, pretty, Sentences, Skeleton } from '@/components/ui'
import type { DecisionPreview } from '@/lib/services/changes/preview-decision'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import { valueAt } from '@/lib/domain/changes/canonical'
import type { Json } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { MovesList } from './moves-list'
import { comingUpWords } from './remediation-words'

/** What a decision does, before it is made: in sentences, and as the call. */
export function Preview({
  preview,
  change,
  mode,
  reason,
  first = null,
  children,
}: {
  preview: DecisionPreview
  change: UpdateDetail
  mode: DecisionMode
  /** As it is typed now, or that one is to come. */
  reason: string
  /** What of it goes now, where that is not all of it. */
  first?: string | null
  /** How much of it is to go at once. */
  children?: ReactNode
}) {
  return (
    <>
      <section>
        <h2 className="mb-1">What will happen</h2>
        {children}
        {first && <p className="mb-2 font-medium text-pretty">{first}</p>}
        <p className="mb-2 text-pretty">
          {first && 'Once all of it was let go: '}
          {preview.headline}
        </p>
        {mode !== 'reject' && <MovesList change={change} mode={mode} />}
        {preview.comingUp && <p className="mt-2 text-pretty">{comingUpWords(preview.comingUp)}</p>}
      </section>
      <Sentences title="What cannot be undone" items={preview.irreversible} />
      <section className="min-w-0">
        <h2 className="mb-1">What Drydock will do to the cluster</h2>
        <p className="mb-2 text-pretty text-ink-2">
          {preview.atHook && mode !== 'reject' && (
            <>
              When Cluster API asks whether the group may have {change.toVersion}, it answers yes; and when the group
              has it, and the API server has paused it for that:{' '}
            </>
          )}
          {preview.atHook && mode !== 'reject' ? 'right' : 'Right'} before, it reads the object anew: where that wants
          something else than is shown here{mode === 'reject' ? '' : ', or fewer machines'}, nothing is sent.
        </p>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {preview.calls.map((call, i) => (
            <CodeBlock
              key={i}
              label={`${call.method} ${call.path} · ${call.contentType}`}
              text={pretty(withReason(withoutVersion(call.body), mode === 'reject' ? reason : ''))}
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

/** Why it is rejected stands on the object, behind who rejected it. */
function withReason(body: unknown, reason: string): unknown {
  const held = valueAt(body as Json, 'metadata', 'annotations', HELD)
  if (!reason || typeof held !== 'string') return body
  const { metadata } = body as { metadata: { annotations: object } }
  const annotations = { ...metadata.annotations, [HELD]: `${held}: ${reason}` }
  return { ...(body as object), metadata: { ...metadata, annotations } }
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
