import { Chip, count, Section, Version } from '@/components/ui'
import type { UpgradeableDto } from '@/lib/services/upgradeable/get-cluster'

/** The releases that the update service knows a way to, and which of them are closed. */
export function Choices({ choices, state }: Pick<UpgradeableDto, 'choices' | 'state'>) {
  if (choices.length === 0) return null
  return (
    <Section title="Releases to go to" aside={count(choices.length, 'release')}>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        {choices.map(({ version, kind, caution }) => (
          <li key={version} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <Version>{version}</Version>
            {kind === 'minor' && state === 'closed' ? (
              <Chip tone="bad">closed</Chip>
            ) : (
              <Chip tone={caution ? 'plain' : 'good'}>{caution ? 'with care' : 'open'}</Chip>
            )}
            <span className="min-w-0 text-sm text-pretty wrap-anywhere text-ink-3">
              {kind === 'patch' ? 'patch release' : kind === 'minor' ? 'another minor version' : ''}
              {caution && `${kind === 'other' ? '' : ': '}${caution}`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
