'use client'

import { useState } from 'react'
import { ActionSteps } from '@/components/openshift/action-steps'
import { NoPermission } from '@/components/openshift/no-permission'
import { Button, RelativeTime, Section } from '@/components/ui'
import type { Managed } from '@/lib/services/boot-images/get-managed'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { Overwritten } from './overwritten'
import { ImageChange } from './image-change'
import { ManagedSheet } from './managed-sheet'
import { Meanwhile } from './meanwhile'
import type { BootImageActions } from './types'
import { ruleInWords } from './words'

interface Props {
  card: BootImageCard
  managing: Managed
  mayAct: boolean
  actions: BootImageActions
}

/** Which machine sets the operator keeps current, how far a decision about it is, and what has changed since. */
export function ManagedImages({ card, managing, mayAct, actions }: Props) {
  const [open, setOpen] = useState(false)
  const { action, ended, outcome, sets, planes, may, says } = managing
  const running = action && !['seen', 'cancelled', 'superseded', 'overtaken'].includes(action.state)
  return (
    <Section title="Managed boot images" aside={managing.words} id="managed">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <p className="max-w-[84ch] text-pretty text-ink-2">
          {sets.mode === 'Partial' && sets.problem !== null ? REFUSED : NOW[sets.mode]} {may.planes && PLANES[planes]}{' '}
          Machines that run are never touched: only new ones start from the image of their set.{' '}
          {!says && 'The operator of this release does not say so itself: this is what MachineConfiguration names.'}
        </p>
        {sets.mode === 'Partial' && (
          <ul className="flex flex-wrap gap-x-4 gap-y-1 font-mono text-sm">
            {sets.rows.map((row, at) => (
              <li key={JSON.stringify(row)} className="wrap-anywhere">
                {at > 0 && <span className="font-sans text-ink-3">and </span>}
                {ruleInWords(row)}
              </li>
            ))}
          </ul>
        )}
        {sets.mode === 'Partial' && sets.problem !== null && (
          <p className="max-w-[84ch] text-pretty wrap-anywhere text-blocked">
            This selector is not valid: {sets.problem}. The API server stores it all the same.
          </p>
        )}
        {running && <ActionSteps action={action} seenLabel={TAKEN_UP} {...(mayAct && { actions })} />}
        {action && !running && (
          <p className="max-w-[84ch] text-pretty text-ink-2">
            {ended ? 'Last tried' : 'Decided'} by {action.actorName} <RelativeTime at={action.recordedAt} />
            {action.reason && <>: “{action.reason}”</>}. {ended && 'It did not come to its end. '}
            {managing.lost && <Overwritten lost={managing.lost} />}
            {ended ?? (action.state === 'overtaken' && action.error)}
          </p>
        )}
        {outcome && <Outcome outcome={outcome} />}
        {mayAct && card.cannotWrite && <NoPermission why={card.cannotWrite} clusterId={card.clusterId} />}
        {/* It has its buttons above, if it is one on machine sets. */}
        {mayAct && card.underWay && card.underWay.id !== action?.id && (
          <Meanwhile underWay={card.underWay} leave={actions.cancel} />
        )}
        {mayAct && !card.cannotWrite && !card.underWay && (
          <div>
            <Button onClick={() => setOpen(true)}>Choose managed machine sets…</Button>
          </div>
        )}
        {!mayAct && <p className="text-sm text-ink-3">Changing it needs the role operator.</p>}
      </div>
      {open && <ManagedSheet card={card} managing={managing} actions={actions} onClose={() => setOpen(false)} />}
    </Section>
  )
}

export const TAKEN_UP = 'Taken up by the operator'
const NOW = {
  All: 'The operator keeps the boot image of all machine sets current.',
  Partial: 'The operator keeps the boot image current of those machine sets whose labels are as below.',
  None: 'The operator keeps the boot image of no machine set current.',
}
const REFUSED =
  'The operator is to keep the boot image current of those machine sets whose labels are as below. It cannot evaluate that: its whole pass over machine sets fails, and none is kept current.'
const PLANES = {
  All: 'That of the control plane’s set, too.',
  None: 'That of the control plane’s set it leaves alone.',
}

function Outcome({ outcome }: { outcome: NonNullable<Managed['outcome']> }) {
  return (
    <div>
      <h3 className="font-medium">What has changed since</h3>
      <ul className="mt-1 grid list-disc gap-1 pl-4 text-ink-2">
        {outcome.sentences.map((sentence) => (
          <li key={sentence} className="text-pretty wrap-anywhere">
            {sentence}
          </li>
        ))}
        {outcome.changed.map(({ kind, name, from, to }) => (
          <li key={`${kind}/${name}`} className="wrap-anywhere">
            {name}: <ImageChange from={from} to={to} />
          </li>
        ))}
      </ul>
    </div>
  )
}
