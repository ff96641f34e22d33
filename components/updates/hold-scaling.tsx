'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button, Commit, count, ErrorState, RelativeTime, Sheet } from '@/components/ui'
import { wantMore } from '@/lib/domain/holds'
import { minorOf } from '@/lib/domain/version'
import type { HeldFor } from '@/lib/services/changes/held-for'
import type { Blocking } from '@/lib/services/changes/held-scaling'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { wayOutOf } from './by-plane'
import type { DecisionActions } from './decide-sheet'
import { notScaledWords } from './hold-words'

export interface HoldProps {
  change: UpdateDetail
  actions: Pick<DecisionActions, 'letWorkersGrow' | 'holdWorkers'>
  onDone(): void
}

/** A held version of its control plane keeps a worker group from getting machines, or that version, and where that ends. */
export function BlockedByPlane({ by }: { by: Blocking }) {
  const waits = by.rejected ? 'is rejected and held' : `waits${by.first ? ' for somebody' : ''}`
  return (
    <p className="mt-1 max-w-[88ch] font-medium text-pretty">
      {by.first
        ? `It gets ${by.version} only after its control plane ${by.name}, which ${waits}`
        : `It gets no new machines while ${by.version} of its control plane ${by.begun ? `is half way and ${waits}` : waits}`}
      :{' '}
      <Link href={`/updates/${by.changeId}`} prefetch={false} className="underline">
        {wayOutOf(by)}
      </Link>
      .
    </p>
  )
}

/** That a held worker group grows and shrinks all the same, and why not where it does not. `told`: of its control plane the page says so already. */
export function Scaling({ held: { scaling, blockedBy }, told }: { held: HeldFor; told: boolean }) {
  const blocked = blockedBy && !told && <BlockedByPlane by={blockedBy} />
  if (!scaling) return blocked
  const { carried, policy } = scaling
  const moved = carried?.at && carried.from !== carried.to
  return (
    <>
      {blocked}
      <p className="mt-1">
        It scales all the same, with the machines that it has (policy <span className="font-medium">{policy}</span>)
        {moved ? (
          <>
            : machine set <span className="font-mono wrap-anywhere">{carried.set}</span>
            {carried.makes && ` (${carried.makes})`} is to have {count(carried.to ?? 0, 'machine')} ({carried.from}{' '}
            before), for <RelativeTime at={carried.at!} bare /> now.
          </>
        ) : (
          '.'
        )}
      </p>
      {carried?.trouble && (
        <p className="mt-1 wrap-anywhere text-blocked">{notScaledWords(scaling, carried.trouble)}</p>
      )}
    </>
  )
}

/** What the wait of a control plane does to worker groups, and the way out. */
export function WaitingWorkers(props: HoldProps & { workers: NonNullable<HeldFor['workers']> }) {
  const { change, actions, onDone, workers } = props
  const [asking, setAsking] = useState(false)
  const back = useAction(actions.holdWorkers, onDone)
  const { groups, missing, by, at, trouble } = workers
  const want = groups > 0 && wantMore({ groups, missing })
  if (by)
    return (
      <div className="mt-1 grid justify-items-start gap-2">
        <p>
          <span className="font-medium">{by}</span> let worker groups of its cluster get machines meanwhile,{' '}
          <RelativeTime at={at!} />: those of {minorOf(change.fromVersion)}, which can join it as it is. {want}
        </p>
        {trouble && <p className="wrap-anywhere text-blocked">{trouble}</p>}
        <Button
          small
          why={change.may.reject ? undefined : 'that needs the role operator.'}
          pending={back.pending}
          onClick={() => back.run({ changeId: change.id })}
        >
          Have the checks made again
        </Button>
        <ErrorState error={back.error} />
      </div>
    )
  return (
    <div className="mt-1 grid justify-items-start gap-2">
      <p className={groups > 0 ? 'font-medium' : undefined}>
        Worker groups of its cluster get no new machines while {change.toVersion} waits. {want}
      </p>
      <Button
        small
        why={change.may.override ? undefined : 'letting them grow needs the role approver.'}
        onClick={() => setAsking(true)}
      >
        Let them grow…
      </Button>
      {asking && <GrowSheet {...props} onClose={() => setAsking(false)} />}
    </div>
  )
}

function GrowSheet({ change, actions, onDone, onClose }: HoldProps & { onClose(): void }) {
  // What was looked at when the sheet opened.
  const [fingerprint] = useState(change.fingerprint)
  const act = useAction(actions.letWorkersGrow, () => {
    onDone()
    onClose()
  })
  return (
    <Sheet
      open
      onClose={onClose}
      crumb={`${change.workloadCluster} / ${change.groupName}`}
      title="Let worker groups grow"
      footer={
        <Commit
          tone="primary"
          onClose={onClose}
          onClick={() => act.run({ changeId: change.id, fingerprint })}
          pending={act.pending}
        >
          Let them grow
        </Commit>
      }
    >
      <div className="grid gap-4">
        <p>
          Before Cluster API makes a worker it compares with the version that the control plane wants,{' '}
          {change.toVersion}, and waits. All machines of this control plane still have {change.fromVersion}, so workers
          of every {minorOf(change.fromVersion)} can join them.
        </p>
        <p>
          Drydock has those checks skipped on machine sets of {minorOf(change.fromVersion)} in this cluster, and made
          again as soon as this change is let go, goes on or is taken back. It writes the annotation{' '}
          <code className="wrap-anywhere">machineset.cluster.x-k8s.io/skip-preflight-checks</code>, and keeps what stood
          there.
        </p>
        <p className="text-ink-2">Nothing of the control plane moves by it.</p>
        <ErrorState error={act.error} />
      </div>
    </Sheet>
  )
}
