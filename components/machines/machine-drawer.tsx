'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { getJson, problemFrom } from '@/components/live'
import {
  Chip,
  CodeBlock,
  CopyButton,
  Duration,
  ErrorState,
  Facts,
  pretty,
  RelativeTime,
  Section,
  Sheet,
  Skeleton,
  Version,
} from '@/components/ui'
import type { MachineDetail } from '@/lib/services/machines/get-machine'
import { Conditions } from './conditions'
import { ConfigState } from './config-state'
import { Joining } from './joining'
import { isSaid } from './said'
import { Trouble } from './trouble'
import { MachineVerdict } from './verdict'

/** One machine: what is the matter in one sentence, then everything that says why. */
export function MachineDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const { data, error } = useQuery({
    queryKey: ['machines', id],
    queryFn: ({ signal }) => getJson<MachineDetail>(`/api/machines/${id}`, signal),
    retry: false,
  })
  return (
    <Sheet
      open
      beside
      onClose={onClose}
      width={460}
      crumb={
        data ? (
          `${data.cluster} / ${data.workload}${data.groupName ? ` / ${data.groupName}` : ''}`
        ) : error ? null : (
          <Skeleton width={180} />
        )
      }
      title={
        data ? (
          <span className="font-mono text-base">{data.name}</span>
        ) : error ? (
          'Machine'
        ) : (
          <Skeleton width={260} height={16} />
        )
      }
    >
      {error && <ErrorState error={problemFrom(error)} />}
      {!data && !error && <DrawerSkeleton />}
      {data && <Body machine={data} />}
    </Sheet>
  )
}

function Body({ machine: m }: { machine: MachineDetail }) {
  const kubectl = `kubectl get machines.${m.provider} ${m.name} -n ${m.namespace} -o yaml`
  return (
    <div>
      <p className="text-md leading-snug font-medium text-pretty wrap-anywhere">{m.sentence}</p>
      {m.joining && <Joining joining={m.joining} />}
      {/* What is known of machines that do not join in general says less than what is found of this one. */}
      {!(m.joining && m.trouble?.id === 'machine-api-never-joined') && (
        <Trouble trouble={m.trouble} message={m.error} />
      )}
      <p className="mt-3 flex flex-wrap items-center gap-2 text-sm text-ink-3">
        <Chip tone={m.state === 'failed' ? 'bad' : 'plain'}>{m.phase}</Chip>
        <MachineVerdict machine={m} behind={m.config !== null && m.config.phase !== 'updated'} />
        {m.verdictReason}
      </p>
      <div className="mt-4">
        <Facts items={factsOf(m)} />
      </div>
      {m.change && (
        <p className="mt-4">
          <Link className="btn" href={`/updates/${m.change.id}`}>
            See its update: {m.change.summary}
          </Link>
        </p>
      )}
      {m.config && <ConfigState config={m.config} />}
      <Section title="Conditions" aside={'conditions' in m.live ? 'as the API server has them now' : undefined}>
        {'problem' in m.live ? (
          <ErrorState error={{ ...m.live.problem, code: 'unavailable' }} />
        ) : (
          <Conditions conditions={m.live.conditions} />
        )}
      </Section>
      {m.history.length > 0 && (
        <Section title="In updates">
          <ul className="grid gap-1">
            {m.history.map((step) => (
              <li key={step.changeId}>
                <Link href={`/updates/${step.changeId}`} className="font-mono text-sm hover:underline">
                  {step.summary}
                </Link>
                <span className="block text-sm text-ink-3">
                  {step.state}
                  {step.startedAt && (
                    <>
                      , <Duration from={step.startedAt} to={step.finishedAt} />
                    </>
                  )}
                  {step.message && !isSaid(step.message, m.sentence) && `: ${step.message}`}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section
        title="Object"
        aside={
          <span className="inline-flex items-center gap-1">
            kubectl
            <CopyButton text={kubectl} label="Copy the kubectl command" />
          </span>
        }
      >
        {'object' in m.live && (
          <details>
            <summary className="text-ink-2">Raw object, what may be a credential is masked</summary>
            <CodeBlock text={pretty(m.live.object)} className="mt-2" />
          </details>
        )}
      </Section>
    </div>
  )
}

const mono = (text: string | null) => (text ? <span className="font-mono text-sm break-all">{text}</span> : null)

function factsOf(m: MachineDetail): [React.ReactNode, React.ReactNode][] {
  const group = m.groupName && (
    <Link
      className="underline decoration-line-strong underline-offset-2 hover:decoration-ink"
      href={`/machines?${new URLSearchParams({ q: `group:${m.groupName} cluster:${m.workload}` })}`}
    >
      {m.groupName}
    </Link>
  )
  const rows: [React.ReactNode, React.ReactNode][] = [
    ['version', <Version key="v">{m.version}</Version>],
    ['node', mono(m.node) ?? <span className="text-ink-3">none yet</span>],
    [
      'group',
      group && (
        <>
          {group} <span className="text-ink-3">{m.groupKind}</span>
        </>
      ),
    ],
    ['machine set', mono(m.machineSet)],
    [
      'cluster',
      <Link
        key="c"
        className="underline decoration-line-strong underline-offset-2 hover:decoration-ink"
        href={`/?${new URLSearchParams({ cluster: m.cluster, workload: m.workload })}`}
      >
        {m.workload}
      </Link>,
    ],
    ['zone', m.zone],
    ['boot image', mono(m.bootImage)],
    ['provider id', mono(m.providerId)],
    ['created', <RelativeTime key="t" at={m.createdAt} />],
  ]
  return rows.filter(([, value]) => value !== null && value !== '')
}

function DrawerSkeleton() {
  return (
    <div className="grid gap-3" aria-busy>
      <span role="status" className="sr-only">
        Reading the machine
      </span>
      <Skeleton height={18} />
      <Skeleton width={160} />
      {Array.from({ length: 9 }, (_, i) => (
        <Skeleton key={i} width={`${60 + ((i * 13) % 35)}%`} />
      ))}
    </div>
  )
}
