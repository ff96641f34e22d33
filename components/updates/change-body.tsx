'use client'

import { BigHull, HullLegend } from '@/components/hull'
import { CopyButton, Section } from '@/components/ui'
import { isForbidden } from '@/lib/domain/policies'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { FieldChanges } from './field-changes'
import { letGoBy } from './outcome-words'
import { changesNone, movesNothing } from './moves'
import { MovesList } from './moves-list'
import { isKnown, nobodyDecides } from './standing-words'
import { WayOut } from './way-out'

/** What of a change its machines and fields are shown by: one that waits, and one that is only planned. */
export type ShownChange = Pick<
  UpdateDetail,
  'state' | 'decision' | 'groupKind' | 'heldBy' | 'outlook' | 'hull' | 'changeSet' | 'machinesList' | 'fingerprint'
> &
  // Of what is only planned nobody is asked yet.
  Partial<Pick<UpdateDetail, 'policy' | 'governance'>>

const BEFORE = new Set<UpdateDetail['state']>(['waiting', 'rejected', 'approved'])

/** The hull, and under it what becomes of the machines either way. */
export function MachinesSection({ change }: { change: ShownChange }) {
  return (
    <Section title="Machines" aside={<HullLegend counts={change.hull.counts} />}>
      <BigHull data={change.hull} held={['waiting', 'rejected'].includes(change.state) && change.heldBy !== 'none'} />
      {BEFORE.has(change.state) &&
        change.changeSet.pairs.length > 0 &&
        !change.outlook.blocked &&
        !movesNothing(change.outlook) && <Ways change={change} />}
      <WayOut change={change} />
    </Section>
  )
}

/** Exactly which machines either approval would move, replace or create; once decided, that one. */
function Ways({ change }: { change: ShownChange }) {
  const { decision, outlook, policy } = change
  // What its policy allows only in one way is not approved in the other.
  const by = policy && isKnown(policy) ? policy.ways : null
  const replaced = by && by['in-place'].forbidden && !by.replace.forbidden
  const kept = by && by.replace.forbidden && !by['in-place'].forbidden && outlook.inPlace !== null
  const never = policy && isKnown(policy) && isForbidden(change, policy.listed)
  const chosen = change.state === 'approved' ? decision?.mode : null
  const either = changesNone(outlook)
  const ways = [
    {
      mode: 'in-place' as const,
      title: outlook.only ? onlyTitle(change) : 'Approved in place',
      there: outlook.inPlace !== null && !either && !replaced && !never,
    },
    {
      mode: 'replace' as const,
      title: either ? 'Let go' : 'Approved replacing',
      there: !never && !outlook.only && !(kept && !either),
    },
  ].filter(({ mode, there }) => there && (either || !chosen || chosen === mode))
  if (ways.length === 0) return null
  return (
    <div className="mt-2 grid max-w-[1000px] grid-cols-2 gap-x-8 gap-y-3 max-[1000px]:grid-cols-1">
      {ways.map(({ mode, title }) => (
        <div key={mode}>
          <h3 className="mb-1 text-sm text-ink-3">{title}</h3>
          <MovesList change={change} mode={mode} short />
        </div>
      ))}
    </div>
  )
}

/** Of what goes in one way only. */
function onlyTitle({ state, heldBy, groupKind, policy, governance }: ShownChange): string {
  if (state === 'approved' || (policy && isKnown(policy) && policy.listed.due)) return 'Approved'
  const nobody = policy && governance && nobodyDecides({ heldBy, groupKind, policy, governance })
  return nobody ? 'Once its pause is taken away' : 'If it is approved'
}

/** Field by field, under the name of exactly this change. */
export function WhatChanges({
  change,
}: {
  change: Pick<ShownChange, 'changeSet' | 'decision' | 'fingerprint' | 'groupKind' | 'outlook'>
}) {
  return (
    <Section
      title="What changes"
      aside={
        <span className="inline-flex items-center gap-1">
          fingerprint <span className="font-mono">{shortPrint(change.fingerprint)}</span>
          <CopyButton text={change.fingerprint} label="Copy the whole fingerprint" />
        </span>
      }
    >
      {change.outlook.pool && (
        <p className="mb-2 text-sm text-ink-3">
          Rendered config <span className="font-mono wrap-anywhere">{change.outlook.pool.config}</span>
        </p>
      )}
      <FieldChanges
        changeSet={change.changeSet}
        kind={change.groupKind}
        outlook={change.outlook}
        replaced={letGoBy(change)?.mode === 'replace'}
      />
    </Section>
  )
}

const shortPrint = (fingerprint: string) => `${fingerprint.slice(0, 4)}·${fingerprint.slice(4, 8)}`
