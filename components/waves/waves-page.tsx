'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { getJson, problemFrom } from '@/components/live'
import { Button, ErrorState, RelativeTime, Section, Table, Th } from '@/components/ui'
import type { RunsDto } from '@/lib/services/waves/list-runs'
import { WaveRow, type Props } from './wave-row'
import { WaveSheet, type Asking, type WaveActions } from './wave-sheet'
import { Nothing, Which } from './which'

const NO_MORE = {
  written: 'The policy writes that wave otherwise since',
  wanted: 'More than a day later the same was wanted once more',
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

function RunSection(props: Props) {
  const { run, may, actions, onDone } = props
  const [asking, setAsking] = useState<Asking | null>(null)
  const { policy, stopped } = run
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
              onClick={() => setAsking({ what: 'resume' })}
            >
              Let it go on…
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
      </div>
      {run.lapsed.map(({ id, by, at, what, wave, reason, why }) => (
        <p key={id} className="mb-3 max-w-[88ch] wrap-anywhere">
          <span className="font-medium">{by}</span> said that {wave} {what === 'begin' ? 'begins' : 'is not waited for'}{' '}
          <RelativeTime at={at} />
          {reason && <>: “{reason}”</>}. {NO_MORE[why]}, so it counts no more.
        </p>
      ))}
      <Table stack label={`Waves of ${run.summary}`}>
        <thead>
          <tr>
            {/* As wide in every run: they stand below each other. */}
            <Th className="w-[14%]">wave</Th>
            <Th className="w-[32%]">stands</Th>
            <Th className="w-[36%]">groups</Th>
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
