'use client'

import Link from 'next/link'
import { useState } from 'react'
import { SmallHull } from '@/components/hull'
import { Sentences } from '@/components/ui'
import { PolicyRules } from '@/components/updates/asked'
import { MachinesSection, WhatChanges } from '@/components/updates/change-body'
import { PlayedForward } from '@/components/updates/played'
import { UpdateMachines } from '@/components/updates/update-machines'
import { KIND_WORDS } from '@/components/updates/words'
import type { PlanGroup } from '@/lib/services/plan/types'
import { ComesTo } from './comes-to'
import { heldSentence } from './words'

/** One group as its update would be shown, were it written. */
export function PlannedGroup({ group, open: opened }: { group: PlanGroup; open: boolean }) {
  const [open, setOpen] = useState(opened)
  const held = heldSentence(group)
  const id = `${group.groupKind}-${group.namespace}-${group.groupName}`
  return (
    <article className="mt-6 rounded-lg border border-line px-5 py-4 max-phone:px-3.5" aria-labelledby={id}>
      <p className="mb-1 text-sm text-ink-3">
        {group.namespace} / {group.workloadCluster} / {KIND_WORDS[group.groupKind] ?? group.groupKind}
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={id} className="font-mono break-all">
          {group.groupName}
        </h2>
        <ComesTo verdict={group.verdict} />
        <span className="font-mono text-sm text-ink-2">{group.summary}</span>
      </div>
      <p className="mt-2 max-w-[80ch] text-md text-pretty">{group.headline}</p>
      {held && <p className="mt-1 max-w-[80ch] text-pretty text-ink-2">{held}</p>}
      {group.waiting && (
        <p className="mt-1 text-ink-2">
          {group.waiting.same
            ? 'This very change is there already: '
            : 'Another change of it is not over, and this would take its place: '}
          <Link href={`/updates/${group.waiting.id}`} prefetch={false} className="font-mono text-sm underline">
            {group.waiting.summary}
          </Link>
          .
        </p>
      )}
      {group.notes.map((note) => (
        <p key={note} className="mt-1 max-w-[80ch] text-pretty text-ink-2">
          {note}
        </p>
      ))}
      {group.undetermined.length > 0 && (
        <div className="mt-3 rounded-md border border-line-strong px-4 py-3">
          <Sentences title="What cannot be determined" items={group.undetermined} />
        </div>
      )}
      {group.policy && <Asked policy={group.policy} outlook={group.outlook} />}
      {open ? (
        <GroupBody group={group} />
      ) : (
        <div className="mt-3 flex flex-wrap items-center gap-3">
          <SmallHull data={group.hull} className="max-w-[420px]" />
          <button type="button" className="btn btn-small" aria-expanded={false} onClick={() => setOpen(true)}>
            Show its machines and fields
          </button>
        </div>
      )}
    </article>
  )
}

/** What policies would ask of it, and what comes of that. */
function Asked({ policy, outlook }: { policy: NonNullable<PlanGroup['policy']>; outlook: PlanGroup['outlook'] }) {
  if ('problem' in policy)
    return <p className="mt-1 max-w-[80ch] text-pretty text-bad-ink">Nothing could be approved: {policy.problem}</p>
  return (
    <div className="mt-3 grid gap-3">
      {policy.notes.map((note) => (
        <p key={note} className="max-w-[80ch] text-pretty">
          {note}
        </p>
      ))}
      <PolicyRules rules={policy.rules} outlook={outlook} />
    </div>
  )
}

function GroupBody({ group: { policy: _asked, ...group } }: { group: PlanGroup }) {
  // Nobody is needed for what does not exist: no amber round the hull.
  const change = { ...group, state: 'waiting' as const, decision: null, heldBy: 'none' as const }
  return (
    <>
      <MachinesSection change={change} />
      {(group.course?.inPlace || group.course?.replace) && (
        <PlayedForward course={group.course} hull={group.hull} group={group} />
      )}
      {group.changeSet.fields.length > 0 && <WhatChanges change={change} />}
      {group.machinesList.length > 0 && <UpdateMachines change={change} />}
    </>
  )
}
