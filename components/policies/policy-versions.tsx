import { RelativeTime, Section } from '@/components/ui'
import type { PolicyVersion } from '@/lib/services/policies/policy-versions'
import { rulesWords, selectionWords } from './words'

/** What it said when, newest first. */
export function Versions({ versions }: { versions: PolicyVersion[] }) {
  return (
    <Section title="Versions">
      <ol className="grid gap-1.5">
        {versions.map(({ version, name, spec, actorName, at }) => (
          <li key={version}>
            <span className="text-ink-3">
              {version}, {actorName}, <RelativeTime at={at} />:
            </span>{' '}
            {spec ? (
              <>
                <span className="font-medium">{name}</span> for {selectionWords(spec.select)}: {rulesWords(spec)}
              </>
            ) : (
              'removed, or it cannot be read'
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}
