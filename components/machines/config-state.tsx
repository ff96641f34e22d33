import Link from 'next/link'
import { StepBar } from '@/components/pools/step-bar'
import { phaseWords } from '@/components/pools/words'
import { Chip, RelativeTime, Section } from '@/components/ui'
import type { MachineDetail } from '@/lib/services/machines/get-machine'

/** Of an OpenShift machine: where its node is in the update of its pool. */
export function ConfigState({ config }: { config: NonNullable<MachineDetail['config']> }) {
  const { tone, words } = phaseWords(config)
  return (
    <Section
      title="Machine Config"
      aside={
        <Link
          className="underline decoration-line-strong underline-offset-2 hover:decoration-ink"
          href={`/pools/${config.poolId}?node=${encodeURIComponent(config.name)}`}
        >
          pool {config.pool}
        </Link>
      }
    >
      <div className="grid justify-items-start gap-1.5">
        <p className="flex flex-wrap items-center gap-1.5">
          <Chip tone={tone}>{words}</Chip>
          {config.stuck && <Chip tone="bad">stuck</Chip>}
          {config.since && (
            <span className="text-sm text-ink-3">
              for <RelativeTime at={config.since} bare />
            </span>
          )}
        </p>
        <p className="text-pretty wrap-anywhere">{config.sentence}</p>
        {config.hint && <p className="text-sm text-pretty text-ink-2">{config.hint}</p>}
        <StepBar steps={config.steps} />
      </div>
    </Section>
  )
}
