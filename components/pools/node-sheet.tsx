'use client'

import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import Link from 'next/link'
import { getJson, problemFrom } from '@/components/live'
import { Answer, Chip, ErrorState, RelativeTime, Section, Sheet, Skeleton } from '@/components/ui'
import type { DrainWait } from '@/lib/domain/pools/drain'
import { currentStep, type Step } from '@/lib/domain/pools/steps'
import type { NodeDetail } from '@/lib/services/pools/get-node'
import { ConfigSection } from './config-section'
import { STEP_WORDS } from './step-bar'
import { phaseWords, zoneWords } from './words'

/** One node of a pool: what it is at, every step with the operator's own words, and what its drain waits for. */
export function NodeSheet({ poolId, node, onClose }: { poolId: string; node: string; onClose(): void }) {
  const { data, error } = useQuery({
    queryKey: ['pools', poolId, 'node', node],
    queryFn: ({ signal }) => getJson<NodeDetail>(`/api/pools/${poolId}/nodes?node=${encodeURIComponent(node)}`, signal),
    retry: false,
    meta: { topics: ['machines'] },
  })
  return (
    <Sheet
      open
      beside
      onClose={onClose}
      width={460}
      crumb={data ? `${data.cluster} / ${data.pool}` : null}
      title={<span className="font-mono text-base">{node}</span>}
    >
      {error && <ErrorState error={problemFrom(error)} />}
      {!data && !error && <Skeleton height={240} />}
      {data && <Body node={data} poolId={poolId} />}
    </Sheet>
  )
}

function Body({ node, poolId }: { node: NodeDetail; poolId: string }) {
  const { tone, words } = phaseWords(node)
  return (
    <div>
      <p className="text-md leading-snug font-medium text-pretty wrap-anywhere">{node.sentence}</p>
      {node.hint && <p className="mt-1 text-pretty text-ink-2">{node.hint}</p>}
      <p className="mt-3 flex flex-wrap items-center gap-2 text-sm text-ink-3">
        <Chip tone={tone}>{words}</Chip>
        {node.stuck && <Chip tone="bad">stuck</Chip>}
        {node.since && (
          <span>
            for <RelativeTime at={node.since} bare />
          </span>
        )}
        {node.zone && <span>{zoneWords(node.zone)}</span>}
      </p>
      {node.drain?.failing && <Drain drain={node.drain} />}
      {node.steps && <Steps steps={node.steps} since={node.since} told={node.drain?.failing ? 'Drained' : null} />}
      <ConfigSection
        poolId={poolId}
        node={node.name}
        currentConfig={node.currentConfig}
        desiredConfig={node.desiredConfig}
      />
      <Section title="Machine">
        {node.machine ? (
          <Link className="btn" href={`/machines?machine=${node.machine.id}`}>
            Open {node.machine.name}
          </Link>
        ) : (
          <p className="text-ink-3">No Machine stands for this node here.</p>
        )}
      </Section>
    </div>
  )
}

function Drain({ drain }: { drain: DrainWait }) {
  return (
    <Section title="Why its drain waits">
      {drain.holdouts.length > 0 && (
        <ul className="grid gap-1">
          {drain.holdouts.map(({ namespace, pod, why }) => (
            <li key={`${namespace}/${pod}`} className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-mono text-sm wrap-anywhere">
                {namespace}/{pod}
              </span>
              <span className="text-sm text-ink-3">{WHY[why]}</span>
            </li>
          ))}
        </ul>
      )}
      {drain.words && <Answer said="The operator says:">{drain.words}</Answer>}
      <p className="mt-2 text-sm text-ink-3">
        It is tried every minute, after ten minutes every five. After an hour the node counts as degraded; it goes on by
        itself as soon as the pods are gone.
      </p>
    </Section>
  )
}

const WHY: Record<DrainWait['holdouts'][number]['why'], string> = {
  budget: 'kept by a disruption budget',
  evicting: 'could not be evicted in time',
  slow: 'was told to end and has not',
  other: 'could not be moved',
}

const SIGNS: Record<Step['state'], [sign: string, look: string]> = {
  done: ['✓', 'text-in-place'],
  running: ['●', 'text-in-place'],
  failed: ['✕', 'text-blocked'],
  skipped: ['–', 'text-ink-3'],
  ahead: ['○', 'text-ink-3'],
}

interface StepsProps {
  steps: Step[]
  /** Since when it is at the one that it is at, with all tries. */
  since: string | null
  /** The step whose words stand above already. */
  told: Step['type'] | null
}

function Steps({ steps, since, told }: StepsProps) {
  const at = currentStep(steps)
  return (
    <Section title="Steps of this update">
      <ol className="grid gap-1.5">
        {steps.map((step) => {
          const [sign, look] = SIGNS[step.state]
          const open = step.state === 'running' || step.state === 'failed'
          return (
            <li key={step.type} className="grid grid-cols-[1rem_minmax(0,1fr)_auto] items-baseline gap-x-2">
              <span aria-hidden className={look}>
                {sign}
              </span>
              <span className={clsx(open ? 'font-medium' : step.state === 'done' ? '' : 'text-ink-3')}>
                {step.label}
                <span className="sr-only">: {STEP_WORDS[step.state]}</span>
                {step.state === 'failed' && step.since && (
                  <span className="block text-sm font-normal text-ink-2">
                    tried again, last <RelativeTime at={step.since} />
                  </span>
                )}
                {step.message && open && step.type !== told && (
                  <span className="block text-sm font-normal text-pretty wrap-anywhere text-ink-2">{step.message}</span>
                )}
              </span>
              <span className="text-sm text-ink-3">
                {step.since && (
                  <RelativeTime at={(step.state === 'failed' && step === at && since) || step.since} bare />
                )}
              </span>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}
