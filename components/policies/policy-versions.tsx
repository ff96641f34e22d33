import { Button, RelativeTime, Section } from '@/components/ui'
import type { PolicySpec } from '@/lib/domain/policies'
import type { PolicyVersion } from '@/lib/services/policies/policy-versions'
import { rulesWords, selectionWords, versionsApart } from './words'

interface Readable {
  name: string
  spec: PolicySpec
}

/** What it said when, newest first: what each changed of the one before. `onAgain`: types one of them again, unsaved. */
export function Versions({ versions, onAgain }: { versions: PolicyVersion[]; onAgain?: (version: Readable) => void }) {
  return (
    <Section title="Versions">
      <ol className="grid gap-2">
        {versions.map(({ version, name, spec, actorName, at }, i) => (
          <li key={version} className="grid justify-items-start gap-0.5 wrap-anywhere">
            <div>
              <span className="text-ink-3">
                {version}, {actorName}, <RelativeTime at={at} />:
              </span>{' '}
              {spec ? <Said now={{ name, spec }} before={versions[i + 1]} /> : 'removed, or it cannot be read'}
            </div>
            {spec && i > 0 && onAgain && (
              <Button
                small
                tone="bare"
                className="-ml-2"
                onClick={() => {
                  onAgain({ name, spec })
                  window.scrollTo({ top: 0 })
                }}
              >
                Put it back as it was then
              </Button>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Said({ now, before }: { now: Readable; before: PolicyVersion | undefined }) {
  if (!before?.spec)
    return (
      <>
        <span className="font-medium">{now.name}</span> for {selectionWords(now.spec.select)}: {rulesWords(now.spec)}
      </>
    )
  const { gone, come } = versionsApart(now.spec, before.spec)
  const renamed = now.name !== before.name
  if (!renamed && gone.length + come.length === 0) return <span className="text-ink-3">the same again</span>
  return (
    <ul className="pl-4">
      {renamed && (
        <li>
          called {now.name}, before {before.name}
        </li>
      )}
      {gone.map((part) => (
        <li key={part} className="text-ink-3">
          <span aria-hidden>− </span>
          <del>{part}</del>
        </li>
      ))}
      {come.map((part) => (
        <li key={part}>
          <span aria-hidden>+ </span>
          <ins className="no-underline">{part}</ins>
        </li>
      ))}
    </ul>
  )
}
