import clsx from 'clsx'
import { CodeBlock } from '@/components/ui'
import type { Explanation } from '@/lib/domain/errors'

/**
 * An error of a machine: what it means, whether it passes, what to do, and its controllers' own words. `message`: null where
 * nothing failed and the machine only waits for something.
 */
export function Trouble({
  trouble,
  message,
  className,
}: {
  trouble: Explanation | null
  message: string | null
  className?: string
}) {
  if (!trouble && message === null) return null
  const failing = message !== null
  return (
    <section
      aria-label={failing ? 'Error' : 'What it waits for'}
      className={clsx(
        'mt-3 grid gap-2 rounded-md border px-4 py-3',
        failing ? 'border-blocked/40 bg-blocked-soft' : 'border-line bg-panel',
        className,
      )}
    >
      {trouble ? (
        <>
          <p className="font-medium">
            {trouble.terminal ? (
              <>
                <span aria-hidden className="text-blocked">
                  ✕{' '}
                </span>
                Does not pass by itself
              </>
            ) : (
              'Goes on by itself when it can'
            )}
            {trouble.normally && <span className="font-normal text-ink-2">; it usually takes {trouble.normally}</span>}
            {trouble.until && (
              <span className="font-normal text-ink-2">
                , and at {trouble.until} all the same: its drain is given up then, and the pods that are left are cut
                off with their node
              </span>
            )}
          </p>
          <dl className="grid gap-2">
            <Part name="What it means">{trouble.cause}</Part>
            <Part name="Next step">{trouble.step}</Part>
          </dl>
        </>
      ) : (
        <p className="font-medium">Drydock does not know this error yet.</p>
      )}
      {trouble?.general && failing && (
        <p className="text-ink-2">Drydock does not know this message yet: what is said here holds for its kind.</p>
      )}
      {failing && (
        <div>
          <p className="mb-1 text-sm text-ink-2">Its controllers say:</p>
          <CodeBlock text={message} wrap />
        </div>
      )}
      {trouble && (
        <details className="text-sm text-ink-2">
          <summary>Where this is written</summary>
          <p className="mt-1 wrap-anywhere">{trouble.source}</p>
        </details>
      )}
    </section>
  )
}

function Part({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt className="text-sm text-ink-2">{name}</dt>
      <dd className="text-pretty wrap-anywhere">{children}</dd>
    </div>
  )
}
