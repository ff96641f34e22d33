'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { getJson, problemFrom, useAction } from '@/components/live'
import {
  Button,
  Chip,
  count,
  EmptyState,
  ErrorState,
  LinkButton,
  RelativeTime,
  Section,
  Table,
  Td,
  Th,
  Tr,
} from '@/components/ui'
import type { RunDto, RunsDto, WaveDto } from '@/lib/services/waves/list-runs'
import { WaveSheet, type Asking, type WaveActions } from './wave-sheet'
import { standsWords, toneOf } from './words'

interface Props {
  run: RunDto
  may: RunsDto['may']
  actions: WaveActions
  onDone(): void
}

/** Which wave is where, why the next one waits, and what may be said about it. */
export function WavesPage({
  initial,
  change,
  actions,
}: {
  initial: RunsDto
  /** Only the run that this change is in. */
  change: string | null
  actions: WaveActions
}) {
  const client = useQueryClient()
  const of = change ? `?change=${change}` : ''
  const { data, error } = useQuery({
    queryKey: ['policies', 'waves', change],
    queryFn: ({ signal }) => getJson<RunsDto>(`/api/waves${of}`, signal),
    initialData: initial,
    // What soaks opens by the clock.
    refetchInterval: 15_000,
    meta: { topics: ['changes', 'decisions'] },
  })
  return (
    <div className="max-w-[1240px]">
      <nav aria-label="Where this is" className="mb-1.5 text-ink-3">
        <Link href="/updates" className="hover:underline">
          Updates
        </Link>{' '}
        / <span className="font-medium text-ink-2">Waves</span>
      </nav>
      <h1>Waves</h1>
      <p className="mt-1 mb-4 max-w-[76ch] text-pretty text-ink-2">
        Groups that want the same under one policy go wave by wave. What is approved waits until its wave is open; a
        wave opens when those before it are through and have soaked. What has begun goes on.
      </p>
      {error && <ErrorState className="mb-3" error={problemFrom(error)} />}
      {(change ? data.all > 0 : data.all > data.runs.length) && <Which {...{ change, data }} />}
      {data.runs.length === 0 ? (
        <Nothing of={change} />
      ) : (
        data.runs.map((run) => (
          <RunSection
            key={`${run.policy.id} ${run.wish}`}
            {...{ run, actions, may: data.may }}
            onDone={() => void client.invalidateQueries({ queryKey: ['policies', 'waves'] })}
          />
        ))
      )}
    </div>
  )
}

function Which({ change, data: { runs, all } }: { change: string | null; data: RunsDto }) {
  if (!change)
    return (
      <p className="mb-3 text-ink-2">
        The first {runs.length} of {all}, those that need somebody first. The others are reached from their changes.
      </p>
    )
  return (
    <p className="mb-3">
      <Link href="/updates/waves" className="underline">
        {all === 1 ? 'All that goes in waves now' : `All ${all} that go in waves now`}
      </Link>
    </p>
  )
}

const Nothing = ({ of }: { of: string | null }) =>
  of ? (
    <EmptyState
      title="This change goes in no wave now."
      action={
        <LinkButton small href={`/updates/${of}`}>
          Show the change
        </LinkButton>
      }
    >
      It is over, or its policy has no waves any more.
    </EmptyState>
  ) : (
    <EmptyState title="Nothing goes in waves now.">
      A policy with waves takes hold as soon as one of its groups wants something.
    </EmptyState>
  )

function RunSection(props: Props) {
  const { run, may, actions, onDone } = props
  const [asking, setAsking] = useState<Asking | null>(null)
  const resume = useAction(actions.resume, onDone)
  const { policy, wish, stopped } = run
  return (
    <Section
      title={run.summary}
      aside={
        <Link href={`/policies/${policy.id}`} prefetch={false} className="hover:underline">
          policy {policy.name}
        </Link>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        {stopped ? (
          <>
            <p className="wrap-anywhere">
              <span className="font-medium">{stopped.by}</span> stopped it <RelativeTime at={stopped.at} />
              {stopped.reason && <>: “{stopped.reason}”</>}. Machines that have begun are finished; nothing else begins.
            </p>
            <Button
              small
              why={may.approve ? undefined : 'letting it go on needs the role approver.'}
              pending={resume.pending}
              onClick={() => resume.run({ policyId: policy.id, wish })}
            >
              Let it go on
            </Button>
          </>
        ) : (
          <Button
            small
            why={may.stop ? undefined : 'stopping needs the role operator.'}
            onClick={() => setAsking({ what: 'stop' })}
          >
            Stop all waves…
          </Button>
        )}
        <ErrorState error={resume.error} />
      </div>
      <Table stack label={`Waves of ${run.summary}`}>
        <thead>
          <tr>
            <Th>wave</Th>
            <Th>stands</Th>
            <Th>groups</Th>
            <Th>
              <span className="sr-only">what may be said</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {run.waves.map((wave, index) => (
            <WaveRow key={wave.name} {...{ ...props, wave, index, setAsking }} />
          ))}
        </tbody>
      </Table>
      {asking && <WaveSheet {...{ run, asking, actions, onDone }} onClose={() => setAsking(null)} />}
    </Section>
  )
}

function WaveRow({
  run,
  wave,
  index,
  may,
  actions,
  onDone,
  setAsking,
}: Props & { wave: WaveDto; index: number; setAsking(asking: Asking): void }) {
  const waitFor = useAction(actions.waitFor, onDone)
  const { name, wanting, through, groups, open, skipped, asksPerson } = wave
  const last = index === run.waves.length - 1
  return (
    <Tr>
      <Td>
        <span className="text-ink-3">{index + 1}</span> <span className="font-medium">{name}</span>
      </Td>
      <Td className="max-w-[520px] wrap-anywhere">
        <Chip tone={toneOf(wave)}>{standsWords(wave)}</Chip>
        {wave.why && <span className="mt-1 block text-sm text-ink-2">{wave.why}</span>}
      </Td>
      <Td className="max-w-[420px] wrap-anywhere">
        {wanting > 0 ? `${through} of ${wanting} through` : 'none wants it'}
        {groups > wanting && <span className="text-ink-3"> ({count(groups, 'group')} in all)</span>}
        {open.length > 0 && (
          <span className="block text-sm">
            {open.map(({ name: group, at, changeId }, i) => (
              <span key={changeId}>
                {i > 0 && ', '}
                <Link href={`/updates/${changeId}`} prefetch={false} className="underline">
                  {group}
                </Link>{' '}
                <span className="text-ink-3">{at}</span>
              </span>
            ))}
            {wanting - through > open.length && ` and ${wanting - through - open.length} more`}
          </span>
        )}
      </Td>
      <Td>
        <div className="flex flex-wrap justify-end gap-2">
          {asksPerson && (
            <Button
              small
              tone="primary"
              why={may.approve ? undefined : 'that needs the role approver.'}
              onClick={() => setAsking({ what: 'begin', wave: name })}
            >
              Begin…
            </Button>
          )}
          {skipped && (
            <Button
              small
              why={may.stop ? undefined : 'that needs the role operator.'}
              pending={waitFor.pending}
              onClick={() => waitFor.run({ policyId: run.policy.id, wish: run.wish, wave: name })}
            >
              Wait for it again
            </Button>
          )}
          {!skipped &&
            !last &&
            (wave.state !== 'through' || run.waves.some(({ soaksAfter }) => soaksAfter === name)) && (
              <Button
                small
                why={may.approve ? undefined : 'that needs the role approver.'}
                onClick={() => setAsking({ what: 'skip', wave: name })}
              >
                Do not wait for it…
              </Button>
            )}
          <ErrorState error={waitFor.error} />
        </div>
      </Td>
    </Tr>
  )
}
