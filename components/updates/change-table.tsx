import clsx from 'clsx'
import Link from 'next/link'
import { SmallHull } from '@/components/hull'
import { Chip, RelativeTime, Table, Td, Th, Tr, VerdictChip } from '@/components/ui'
import { machinesOf } from '@/lib/domain/changes/machines-of'
import type { HullData } from '@/lib/domain/hull'
import { isForbidden } from '@/lib/domain/policies'
import type { TheirPause } from '@/lib/domain/their-pause'
import { VERDICTS } from '@/lib/domain/verdict'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { UpdatesPage as Data } from '@/lib/services/fleet/list-updates'
import { shownPlane } from './by-plane'
import { editedShort } from './edited-words'
import { HeldSince } from './held-since'
import { SelectRow } from './several/boxes'
import type { Selection } from './several/use-selection'
import {
  endWords,
  expectedOutcome,
  machinesWords,
  nothingMoved,
  overWords,
  progressWords,
  stillCounts,
} from './outcome-words'
import { KIND_WORDS, seenWords, stateOf, wasUnderWay, whyOf } from './words'

const HAPPENS: Record<string, string> = { waiting: 'what would happen', running: 'so far', done: 'what happened' }

/** One row of each change: its group, what would happen or did, and why it waits. */
export function ChangeTable({ data, tab, selection }: { data: Data; tab: string; selection: Selection | null }) {
  return (
    <Table stack label={`Updates: ${tab}`} className="mt-2">
      <thead>
        <tr>
          <Th>group</Th>
          <Th>what changes</Th>
          <Th wide>machines</Th>
          <Th>{HAPPENS[tab] ?? HAPPENS.waiting}</Th>
          <Th>{tab === 'waiting' ? 'why it waits' : 'state'}</Th>
          <Th num>seen</Th>
        </tr>
      </thead>
      <tbody>
        {data.changes.map((change) => (
          <ChangeRow
            key={change.id}
            change={{
              ...{ ...change, ended: data.ended[change.id] ?? null, awaited: data.awaited[change.id] ?? null },
              ...{ blockedBy: data.planes[change.id] ?? null, madeUnasked: data.madeUnasked[change.id] },
            }}
            hull={data.hulls[change.id]}
            standing={data.standings[change.id]}
            since={data.held[change.id]}
            paused={data.paused[change.id] ?? null}
            selection={selection}
            unaskable={data.unaskable.includes(change.id)}
            unasked={data.unasked[change.id] ?? null}
            unapproved={data.unapproved[change.id] ?? null}
            edited={data.edited[change.id] ?? null}
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
  unaskable,
  unasked,
  unapproved,
  edited,
}: {
  change: ChangeDto & {
    ended: Data['ended'][string] | null
    awaited: Data['awaited'][string] | null
    blockedBy: Data['planes'][string] | null
    madeUnasked: Data['madeUnasked'][string] | undefined
  }
  selection: Selection | null
  /** Nobody is asked about it, and nobody decides on it. */
  unaskable: boolean
  unasked: Data['unasked'][string] | null
  unapproved: Data['unapproved'][string] | null
  edited: Data['edited'][string] | null
  paused: TheirPause | null
  since: Data['held'][string] | undefined
  hull: Data['hulls'][string] | undefined
  standing: Data['standings'][string] | undefined
}) {
  const plane = shownPlane(change, standing)
  const state = stateOf({ ...change, hull }, standing, paused, unasked, unapproved)
  const anew = editedShort({ edited, decision: change.decision })
  const why = whyOf(change, standing, paused, unasked, unapproved)
  // On a phone what somebody has to do something about, and what holds it besides an approval that is missing.
  const outside = paused !== null || unapproved !== null || unasked !== null || change.heldBy === 'gate'
  const told = state.tone === 'bad' || outside || (change.state === 'waiting' && standing?.timing.open === false)
  const held = ['waiting', 'rejected'].includes(change.state) && change.heldBy !== 'none'
  return (
    <Tr selected={selection?.has(change.id)}>
      <Td className="py-1.5">
        <SelectRow
          id={change.id}
          name={`${change.groupName} of ${change.clusterName} / ${change.workloadCluster}`}
          selection={selection}
          none={unaskable}
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
          machinesWords(change)
        )}
      </Td>
      <Td className="max-phone:basis-full!">
        <Happening change={change} standing={standing} hull={hull} />
      </Td>
      <Td className="max-w-[320px]">
        <Chip tone={state.tone} className="max-phone:whitespace-normal">
          {state.words}
        </Chip>
        <Since change={change} />
        <HeldSince since={since} change={change} />
        {anew && <span className="block text-sm font-medium wrap-anywhere text-needs-ink">{anew}</span>}
        {why && (
          <span className={clsx('block text-sm wrap-anywhere text-ink-3', !told && 'max-phone:hidden')}>{why}</span>
        )}
        {plane && (
          <Link href={`/updates/${plane.changeId}`} prefetch={false} className="block text-sm underline">
            {plane.begun ? 'Decide the rest of' : 'Decide'} {plane.version} of {plane.name}
            {plane.rejected && ' (rejected)'}
            {plane.helps ? ', or let worker groups grow there' : ' first'}
          </Link>
        )}
      </Td>
      <Td num>
        {seenWords(change) ? (
          <span className="text-ink-3">first seen </span>
        ) : (
          <span className="hidden text-ink-3 max-phone:inline">seen </span>
        )}
        <RelativeTime at={change.detectedAt} />
      </Td>
    </Tr>
  )
}

/** The list is in the order in which changes were seen; when it began or ended is said beside the state. */
function Since({ change }: { change: ChangeDto }) {
  const { startedAt, finishedAt, decision } = change
  if (!finishedAt && !startedAt) return null
  // Paused and resumed, it was let go once more: how long its machines are at it stands on its page.
  const began = decision && decision.mode !== 'reject' ? 'let go ' : wasUnderWay(change) ? 'found under way ' : 'began '
  return (
    <span className="block text-sm text-ink-3 max-phone:ml-2 max-phone:inline">
      {finishedAt ? 'ended ' : began}
      <RelativeTime at={(finishedAt ?? startedAt)!} />
    </span>
  )
}

/** Verdicts before, numbers while it runs, what truly happened afterwards. */
function Happening({
  change,
  standing,
  hull,
}: {
  change: ChangeDto & { ended: Data['ended'][string] | null; madeUnasked: Data['madeUnasked'][string] | undefined }
  standing: Data['standings'][string] | undefined
  hull: HullData | undefined
}) {
  switch (change.state) {
    case 'waiting':
    case 'rejected':
    case 'approved': {
      const { counts, added = 0, removed = 0 } = expectedOutcome(change, standing?.way)
      if (isForbidden(change, standing)) return <VerdictChip verdict="blocked" count={machinesOf({ counts })} />
      const still = stillCounts(counts, hull?.current)
      const { failed = 0, updating = 0 } = hull?.current ?? {}
      return (
        <span className="flex flex-wrap gap-x-3">
          {VERDICTS.filter((v) => still[v]).map((v) => (
            <VerdictChip key={v} verdict={v} count={still[v]} />
          ))}
          {failed > 0 && <span>{failed} failed</span>}
          {updating > 0 && <span>{updating} being updated</span>}
          {added > 0 && <span>{added} created</span>}
          {removed > 0 && <span>{removed} deleted</span>}
        </span>
      )
    }
    case 'running':
    case 'stuck':
      return progressWords({ ...change, hull })
    case 'done':
      return endWords(change, true) || 'no machine had to change'
    default:
      return <span className="text-ink-3">{overWords(change)}</span>
  }
}
