'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import Link from 'next/link'
import { SmallHull } from '@/components/hull'
import { getJson, problemFrom } from '@/components/live'
import { FilterBox } from '@/components/table/filter-box'
import {
  Chip,
  EmptyState,
  ErrorState,
  LinkButton,
  Pager,
  RelativeTime,
  Table,
  Tabs,
  Td,
  Th,
  Tr,
  VerdictChip,
} from '@/components/ui'
import { machinesOf } from '@/lib/domain/changes/machines-of'
import { isForbidden } from '@/lib/domain/policies'
import { VERDICTS } from '@/lib/domain/verdict'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { UpdatesPage as Data } from '@/lib/services/fleet/list-updates'
import { rightWords } from './fidelity'
import { HeldSince } from './hold'
import { SelectAll, SelectRow } from './several/boxes'
import { SeveralBar, useSeveral } from './several/several'
import type { SeveralActions } from './several/several-sheet'
import type { Selection } from './several/use-selection'
import { expectedOutcome, happenedWords, nothingMoved, progressWords } from './outcome-words'
import { KIND_WORDS, stateOf, wasHeldBefore, wasUnderWay, whyOf } from './words'

const TABS = [
  ['waiting', 'Waiting'],
  ['running', 'Running'],
  ['done', 'Done'],
] as const

export function UpdatesPage({ initial, query, actions }: { initial: Data; query: string; actions: SeveralActions }) {
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['changes', 'list', query],
    queryFn: ({ signal }) => getJson<Data>(`/api/updates?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['decisions', 'machines', 'policies'] },
  })
  const several = useSeveral({ data, query, isOld: isPlaceholderData })
  const params = new URLSearchParams(query)
  const tab = params.get('tab') ?? 'waiting'
  const to = (changes: Record<string, string | null>) => {
    const next = new URLSearchParams(params)
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) next.delete(key)
      else next.set(key, value)
    }
    return `/updates?${next}`
  }
  return (
    <div className="max-w-[1320px]">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h1>Updates</h1>
        <div className="flex flex-wrap items-center gap-3">
          <LinkButton href="/updates/waves" prefetch={false}>
            Waves
          </LinkButton>
          {data.may.plan && (
            <LinkButton href={params.get('cluster') ? `/plan?cluster=${params.get('cluster')}` : '/plan'}>
              Plan a change
            </LinkButton>
          )}
          <FilterBox
            value={params.get('q') ?? ''}
            href={(q) => to({ q: q || null, cursor: null })}
            placeholder="Group, cluster, version or author"
          />
        </div>
      </div>
      <Tabs
        label="Updates by state"
        items={TABS.map(([id, label]) => ({
          href: to({ tab: id, cursor: null }),
          label,
          count: data.counts[id],
          current: tab === id,
          needs: id === 'waiting',
        }))}
      />
      {error && <ErrorState error={problemFrom(error)} className="mt-4" />}
      {data.changes.length > 0 ? (
        <>
          {data.track && (
            <p className="mt-3 text-sm text-ink-2">
              What Drydock foretold when these were approved came true for {rightWords(data.track)}.
            </p>
          )}
          {several && (
            <div className="mt-3">
              <SelectAll ids={data.changes.map(({ id }) => id)} selection={several.selection} />
            </div>
          )}
          <ChangeTable data={data} tab={tab} selection={several?.selection ?? null} />
          <Pager
            shown={data.changes.length}
            total={data.counts[tab as keyof Data['counts']]}
            next={data.cursor && to({ cursor: data.cursor })}
            top={params.get('cursor') && to({ cursor: null })}
          />
        </>
      ) : (
        <div className="mt-5">
          <Nothing tab={tab} filtered={Boolean(params.get('q') ?? params.get('cluster'))} />
        </div>
      )}
      {several && <SeveralBar several={several} may={data.may} actions={actions} />}
    </div>
  )
}

const HAPPENS: Record<string, string> = { waiting: 'what would happen', running: 'so far', done: 'what happened' }

function ChangeTable({ data, tab, selection }: { data: Data; tab: string; selection: Selection | null }) {
  return (
    <Table stack label={`Updates: ${tab}`} className="mt-2">
      <thead>
        <tr>
          <Th>group</Th>
          <Th>what changes</Th>
          <Th wide>machines</Th>
          <Th>{HAPPENS[tab] ?? HAPPENS.waiting}</Th>
          <Th>{tab === 'waiting' ? 'why it waits' : 'state'}</Th>
          <Th num>written</Th>
        </tr>
      </thead>
      <tbody>
        {data.changes.map((change) => (
          <ChangeRow
            key={change.id}
            change={change}
            hull={data.hulls[change.id]}
            standing={data.standings[change.id]}
            since={data.held[change.id]}
            paused={data.paused.includes(change.id)}
            selection={selection}
            unasked={data.unasked[change.id] ?? null}
            unapproved={data.unapproved.includes(change.id)}
          />
        ))}
      </tbody>
    </Table>
  )
}

function ChangeRow({
  change,
  hull,
  standing,
  since,
  paused,
  selection,
  unasked,
  unapproved,
}: {
  change: ChangeDto
  selection: Selection | null
  unasked: Data['unasked'][string] | null
  unapproved: boolean
  /** Its group, by somebody themselves. */
  paused: boolean
  since: Data['held'][string] | undefined
  hull: Data['hulls'][string] | undefined
  standing: Data['standings'][string] | undefined
}) {
  const state = stateOf(change, standing, paused, unasked, unapproved)
  const why = whyOf(change, standing, paused, unasked, unapproved)
  // On a phone what somebody has to do something about, and what holds it besides an approval that is missing.
  const outside = paused || unapproved || unasked !== null || change.heldBy === 'gate'
  const told = state.tone === 'bad' || outside || (change.state === 'waiting' && standing?.timing.open === false)
  const held = ['waiting', 'rejected'].includes(change.state) && change.heldBy !== 'none'
  return (
    <Tr selected={selection?.has(change.id)}>
      <Td className="py-1.5">
        <SelectRow
          id={change.id}
          name={`${change.groupName} of ${change.clusterName} / ${change.workloadCluster}`}
          selection={selection}
        >
          <Link href={`/updates/${change.id}`} prefetch={false} className="font-medium break-words hover:underline">
            {change.groupName}
          </Link>
          <span className="block text-sm text-ink-3">
            {change.clusterName} / {change.workloadCluster} · {KIND_WORDS[change.groupKind] ?? change.groupKind}
          </span>
        </SelectRow>
      </Td>
      <Td className="font-mono text-sm break-words">{change.summary}</Td>
      <Td className="min-w-[208px] max-phone:min-w-0">
        {nothingMoved(change) ? null : hull ? (
          <SmallHull data={hull} held={held} className="max-w-[300px]" />
        ) : (
          change.machines
        )}
      </Td>
      <Td className="max-phone:basis-full!">
        <Happening change={change} standing={standing} />
      </Td>
      <Td className="max-w-[320px]">
        <Chip tone={state.tone} className="max-phone:whitespace-normal">
          {state.words}
        </Chip>
        <Since change={change} />
        <HeldSince since={since} change={change} />
        {why && (
          <span className={clsx('block text-sm wrap-anywhere text-ink-3', !told && 'max-phone:hidden')}>{why}</span>
        )}
      </Td>
      <Td num>
        {wasUnderWay(change) || wasHeldBefore(change, since) ? (
          <span className="text-ink-3">first seen </span>
        ) : (
          <span className="hidden text-ink-3 max-phone:inline">written </span>
        )}
        <RelativeTime at={change.detectedAt} />
      </Td>
    </Tr>
  )
}

/** The list is in the order in which changes were written; when it began or ended is said beside the state. */
function Since({ change }: { change: ChangeDto }) {
  const { startedAt, finishedAt } = change
  if (!finishedAt && !startedAt) return null
  const began = wasUnderWay(change) ? 'found under way ' : 'began '
  return (
    <span className="block text-sm text-ink-3 max-phone:ml-2 max-phone:inline">
      {finishedAt ? 'ended ' : began}
      <RelativeTime at={(finishedAt ?? startedAt)!} />
    </span>
  )
}

/** Verdicts before, numbers while it runs, what truly happened afterwards. */
function Happening({ change, standing }: { change: ChangeDto; standing: Data['standings'][string] | undefined }) {
  switch (change.state) {
    case 'waiting':
    case 'rejected':
    case 'approved': {
      const { counts, added = 0, removed = 0 } = expectedOutcome(change, standing?.way)
      if (isForbidden(change, standing)) return <VerdictChip verdict="blocked" count={machinesOf({ counts })} />
      return (
        <span className="flex flex-wrap gap-x-3">
          {VERDICTS.filter((v) => counts[v]).map((v) => (
            <VerdictChip key={v} verdict={v} count={counts[v]} />
          ))}
          {added > 0 && <span>{added} created</span>}
          {removed > 0 && <span>{removed} deleted</span>}
        </span>
      )
    }
    case 'running':
    case 'stuck':
      return progressWords(change)
    case 'done':
      return happenedWords(change, true) || 'no machine had to change'
    default:
      return <span className="text-ink-3">{happenedWords(change) || 'nothing moved'}</span>
  }
}

function Nothing({ tab, filtered }: { tab: string; filtered: boolean }) {
  if (filtered) return <EmptyState title="No update matches.">Widen the filter or the scope.</EmptyState>
  if (tab === 'running') return <EmptyState title="Nothing is rolling out." />
  if (tab === 'done') return <EmptyState title="No update has finished yet." />
  return (
    <EmptyState title="No update waits." action={<LinkButton href="/clusters">What is governed</LinkButton>}>
      A change of a governed group appears here within a second of being written, held by the API server until somebody
      approves it. Which groups are governed is chosen on the page of each cluster.
    </EmptyState>
  )
}
