'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { getJson, problemFrom, useAction } from '@/components/live'
import { Trouble } from '@/components/machines/trouble'
import { Chip, ErrorState, LinkButton, problemOf, RelativeTime, Section, TextInput, Ticks } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { Actions } from './actions'
import { MachinesSection, WhatChanges } from './change-body'
import { noWayBackWords } from './back-words'
import { shownPlane } from './by-plane'
import { Course } from './course'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import { Decided } from './decided'
import { DecideSheet, type DecisionActions } from './decide-sheet'
import { AsForetold } from './fidelity'
import { Remediation } from './remediation'
import { CountedDone } from './settling'
import { listedOf } from './standing-words'
import { Plane } from './plane'
import { Unasked } from './unasked'
import { BlockedByHook, Upgrade } from './upgrade'
import { UpdateMachines } from './update-machines'
import { Times } from './times'
import { Tried } from './tried'
import { Timeline } from './timeline'
import { WhoDecides } from './who-decides'
import { Down } from './down'
import { editedWords } from './edited-words'
import { idleWords } from './idle-words'
import { inShort } from './in-short'
import { leftWords } from './left-words'
import { begunStuck, movedUnapproved } from './held-words'
import { Hold } from './hold'
import { BlockedByPlane } from './hold-scaling'
import { isOver } from './machine-words'
import { nameToType } from './name-to-type'
import { heldAtEnd, nothingMoved, progressWords, unforetoldWords } from './outcome-words'
import { triedOf } from './tried-of'
import { headlineOf, KIND_WORDS, seenWords, stateOf } from './words'

/** One change from top to bottom: what would happen, to which machines, why, and who decides. */
export function UpdatePage({ initial, actions }: { initial: UpdateDetail; actions: DecisionActions }) {
  const client = useQueryClient()
  const { data: change, error } = useQuery({
    queryKey: ['changes', initial.id],
    queryFn: ({ signal }) => getJson<UpdateDetail>(`/api/updates/${initial.id}`, signal),
    initialData: initial,
    // What nodes of a pool are at is written with the pools.
    meta: { topics: ['decisions', 'machines', 'groups', 'policies', 'pools'] },
  })
  const [deciding, setDeciding] = useState<DecisionMode | null>(null)
  const paused = change.held?.theirs ?? null
  const listed = listedOf(change.policy)
  const plane = shownPlane(change, listed)
  const state = stateOf(change, listed, paused, change.unasked, change.unapproved)
  // What it had begun is not over yet, and counts all the same.
  const idle = nothingMoved(change) && !change.machinesList.some(({ progress }) => progress?.startedAt)
  const moved = movedUnapproved(change)
  const left = leftWords(change)
  const hangs = begunStuck(change)
  // What the heading has no room for.
  const whole = change.stuckReason && inShort(change.stuckReason) !== change.stuckReason ? change.stuckReason : null
  const edited = editedWords(change)
  const unforetold = unforetoldWords(change)
  const refresh = () => void client.invalidateQueries({ queryKey: ['changes'] })
  const hold = <Hold change={change} actions={actions} onDone={refresh} />
  const times = <Times key="times" change={change} actions={actions} onDone={refresh} />
  // That it goes on as approved, or who keeps it, comes before approving it in another way.
  const isPaused = change.paused !== null && !change.pausedUntilHeld
  const standsInTheMiddle =
    change.state === 'waiting' && (change.stopped !== null || change.step !== null || isPaused || listed?.due === true)
  const decide = (
    <div key="decide" className={standsInTheMiddle ? 'mt-3' : undefined}>
      <Actions change={change} onDecide={setDeciding} withdraw={actions.withdraw} onDone={refresh} />
    </div>
  )
  return (
    <div className="max-w-[1240px]">
      <nav aria-label="Where this is" className="mb-1.5 text-ink-3">
        <Link href="/updates" className="hover:underline">
          Updates
        </Link>{' '}
        / {change.clusterName} / {change.workloadCluster} /{' '}
        <span className="font-medium text-ink-2">{change.groupName}</span>{' '}
        <span>({KIND_WORDS[change.groupKind] ?? change.groupKind})</span>
      </nav>
      {error && <ErrorState error={problemFrom(error)} className="mb-3" />}
      <Chip tone={state.tone}>{state.words}</Chip>
      <h1 className="mt-2 max-w-[64ch]">{headlineOf(change, paused, listed, change.unasked, change.unapproved)}</h1>
      <Down change={change} />
      <Unasked change={change} />
      {moved && <p className="mt-1 max-w-[88ch] font-medium text-pretty">{moved}</p>}
      {edited && <p className="mt-1 max-w-[88ch] font-medium text-pretty wrap-anywhere">{edited}</p>}
      {unforetold && <p className="mt-1 max-w-[88ch] text-pretty">{unforetold}</p>}
      <CountedDone change={change} />
      {left && <p className="mt-1 max-w-[88ch] text-pretty wrap-anywhere">{left}</p>}
      {change.state !== 'stuck' && plane && <BlockedByPlane by={plane} />}
      {!plane && <BlockedByHook change={change} />}
      {change.state === 'stuck' && (
        <>
          {whole && <p className="mt-1 max-w-[88ch] text-pretty wrap-anywhere">{whole}</p>}
          {change.stuckOn?.plane && <BlockedByPlane by={change.stuckOn.plane} />}
          {change.stuckOn && (
            <Trouble trouble={change.stuckOn.trouble} message={change.stuckOn.message} className="max-w-[88ch]" />
          )}
          <p className="mt-1 text-ink-2">So far: {progressWords(change)}.</p>
        </>
      )}
      {change.degraded && <p className="mt-1 max-w-[88ch] text-pretty wrap-anywhere">{change.degraded}</p>}
      {hangs && (
        <>
          <p className="mt-1 max-w-[88ch] text-pretty wrap-anywhere">{hangs}</p>
          {change.stuckOn && (
            <Trouble trouble={change.stuckOn.trouble} message={change.stuckOn.message} className="max-w-[88ch]" />
          )}
        </>
      )}
      <p className="mt-1 mb-3.5 text-sm text-ink-3">
        <Written change={change} />
      </p>
      {change.goesBack && <RolledBack of={change.goesBack} />}
      {change.state === 'superseded' && change.newer && (
        <LinkButton href={`/updates/${change.newer.id}`} tone="primary">
          Review the newer change
        </LinkButton>
      )}
      {/* What an approval does not take away comes before approving. */}
      {paused && <div className="mb-3.5">{hold}</div>}
      {/* By their keys: a sheet that is open stays open when they change places. */}
      {standsInTheMiddle ? [times, decide] : [decide, times]}
      {!paused && hold}
      <Remediation change={change} actions={actions} onDone={refresh} />
      {change.groupKind === 'MachineConfigPool' && (
        <p className="mt-2 text-sm">
          <Link href={`/pools/${change.groupId}`} prefetch={false} className="underline">
            The pool, its nodes and their steps
          </Link>
        </p>
      )}
      {change.may.plan && change.place === 'here' && change.groupKind !== 'MachineConfigPool' && (
        <p className="mt-2 text-sm">
          <Link href={`/plan?group=${change.groupId}`} prefetch={false} className="underline">
            Plan another version of this group
          </Link>
          {waits(change) && !noWayBackWords(change) && !change.paused && (
            <>
              {', or '}
              <Link href={`/plan?back=${change.id}`} prefetch={false} className="underline">
                going back to what it was
              </Link>
            </>
          )}
        </p>
      )}
      <Tried decision={triedOf(change, listed)} />
      {change.decision && (change.decision.state !== 'voided' || heldAtEnd(change)) && (
        <DecisionState key={change.decision.id} change={change} retry={actions.retry} onDone={refresh} />
      )}
      {idle ? (
        <Section title="Machines">
          <p className="text-ink-2">{idleWords(change)}</p>
        </Section>
      ) : (
        <MachinesSection change={change} />
      )}
      <Upgrade change={change} />
      <Plane change={change} />
      <AsForetold change={change} />
      <Course change={change} />
      <WhatChanges change={change} />
      {!idle && <UpdateMachines change={change} />}
      <WhoDecides change={change} withdraw={actions.withdraw} />
      <Section title="Timeline">
        <Timeline entries={change.timeline} />
      </Section>
      {deciding && (
        <DecideSheet
          change={change}
          mode={deciding}
          actions={actions}
          onClose={() => setDeciding(null)}
          onDone={refresh}
        />
      )}
    </div>
  )
}

const waits = ({ state, heldBy }: UpdateDetail): boolean =>
  ['waiting', 'rejected'].includes(state) && heldBy === 'latch'

/** Why it is there at all comes before deciding on it. */
function RolledBack({ of: { by, reason, changeId, summary } }: { of: NonNullable<UpdateDetail['goesBack']> }) {
  return (
    <p className="-mt-2 mb-3.5 max-w-[88ch] text-pretty wrap-anywhere">
      <span className="font-medium">{by}</span> rolled back{' '}
      <Link href={`/updates/${changeId}`} prefetch={false} className="underline">
        {summary}
      </Link>{' '}
      by it{reason && <>: “{reason}”</>}.
    </p>
  )
}

/** Who wrote it, and when it was seen; of what was there already, when first. */
function Written({ change }: { change: UpdateDetail }) {
  const author = change.author && change.author !== 'unknown' && <span className="font-mono">{change.author}</span>
  const summary = <span className="font-mono">{change.summary}</span>
  const seen = seenWords(change)
  const { continues } = change
  if (continues)
    return (
      <>
        {summary}
        {author && <>, by {author}</>}: first seen <RelativeTime at={continues.seenAt} />, and again since{' '}
        {change.clusterName} was connected again, <RelativeTime at={change.detectedAt} />.{' '}
        <Link href={`/updates/${continues.id}`} prefetch={false} className="underline">
          What was decided, and moved, before that
        </Link>
      </>
    )
  if (seen)
    return (
      <>
        {summary}
        {author && <>, by {author}</>}: {seen} <RelativeTime at={change.detectedAt} />
      </>
    )
  return (
    <>
      {summary}
      {author && <>, written by {author}</>}, seen <RelativeTime at={change.detectedAt} />
    </>
  )
}

function DecisionState({
  change,
  retry,
  onDone,
}: {
  change: UpdateDetail
  retry: DecisionActions['retry']
  onDone(): void
}) {
  const decision = change.decision!
  const again = useAction(retry, onDone)
  const [typed, setTyped] = useState('')
  const allowed = decision.mode === 'reject' ? change.may.reject : change.may.approve
  const retries = allowed && change.state === 'waiting' && decision.state === 'failed'
  const name = retries ? nameToType(change, decision.mode) : null
  const ready = retries && (name === null || typed === name)
  const run = () => again.run({ decisionId: decision.id, ...(name ? { typedName: typed } : {}) })
  const { override } = change
  return (
    <div className="mt-4 max-w-2xl rounded-md border border-line bg-panel px-4 py-3">
      <p className="mb-1.5">
        <Decided decision={decision} said={isOver(change.state) ? null : (override?.reason ?? null)} />
      </p>
      {override && isOver(change.state) && decision.later?.reason !== override.reason && (
        <p className="mb-1.5">
          <span className="font-medium">{override.by}</span> had it not wait for its windows, freezes and waves{' '}
          <RelativeTime at={override.at} />: “{override.reason}”
        </p>
      )}
      <Ticks {...decision} unsure={decision.noAnswer} onRetry={ready ? run : undefined} retrying={again.pending} />
      {name && (
        <TextInput
          mono
          label={
            <>
              Type <code className="select-all">{name}</code> to retry
            </>
          }
          hint="Control plane machines are deleted, or what is known of its etcd stands against it."
          problem={problemOf(again.error?.fields, 'typedName')}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <ErrorState error={again.error} className="mt-2" />
    </div>
  )
}
