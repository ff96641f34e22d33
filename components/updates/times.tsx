'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button, Commit, ErrorState, problemOf, RelativeTime, Sheet, Textarea } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { DecisionActions } from './decide-sheet'
import { isOver } from './machine-words'
import { closedWords, isKnown, utc } from './standing-words'

type Actions = Pick<DecisionActions, 'override' | 'restore'>
interface Props {
  change: UpdateDetail
  actions: Actions
  onDone(): void
}

/** Where a change stands in the windows and freezes of its policies, and the way around them. */
export function Times({ change, actions, onDone }: Props) {
  const [asking, setAsking] = useState(false)
  const restore = useAction(actions.restore, onDone)
  const { policy, override, may } = change
  if (isOver(change.state) || !isKnown(policy)) return null
  const { timing } = policy.listed
  if (override)
    return (
      <div className="mt-3 max-w-[88ch]">
        <p>
          <span className="font-medium">{override.by}</span> let it go outside its windows and freezes{' '}
          <RelativeTime at={override.at} />: “{override.reason}”{' '}
          {may.override && (
            <Button small pending={restore.pending} onClick={() => restore.run({ changeId: change.id })}>
              Hold it to them again
            </Button>
          )}
        </p>
        <ErrorState error={restore.error} className="mt-2" />
      </div>
    )
  const running = !['waiting', 'rejected'].includes(change.state)
  // Windows and freezes hold what was let go here.
  if (running && !isLetGoHere(change)) return null
  if (timing.open)
    return timing.closes && <p className="mt-3 max-w-[88ch] text-ink-2">{closesWords(change, timing.closes)}</p>
  return (
    <div className="mt-3 flex max-w-[88ch] flex-wrap items-center gap-2">
      <p>
        {closedWords(timing)}{' '}
        {running
          ? 'What has begun is finished; the rest is being held.'
          : policy.listed.due
            ? 'It is approved, and goes by itself then.'
            : 'What is approved goes by itself then.'}
        {timing.opens && (
          <span className="text-ink-3">
            {' '}
            (<RelativeTime at={timing.opens} />)
          </span>
        )}
      </p>
      <Button
        small
        why={may.override ? undefined : 'letting it go outside its times needs the role approver.'}
        onClick={() => setAsking(true)}
      >
        Do not wait…
      </Button>
      {asking && <OverrideSheet change={change} actions={actions} onDone={onDone} onClose={() => setAsking(false)} />}
    </div>
  )
}

const isLetGoHere = ({ decision }: UpdateDetail): boolean =>
  decision !== null && decision.mode !== 'reject' && !['voided', 'failed'].includes(decision.state)

const closesWords = ({ state }: UpdateDetail, closes: string): string =>
  ['waiting', 'rejected'].includes(state)
    ? `Machines may move until ${utc(closes)}; what has begun by then is finished, the rest waits for the next window.`
    : `At ${utc(closes)} it is held: what has begun by then is finished, the rest goes on when the next window opens.`

function OverrideSheet({ change, actions, onDone, onClose }: Props & { onClose(): void }) {
  const [reason, setReason] = useState('')
  // What was looked at when the sheet opened.
  const [fingerprint] = useState(change.fingerprint)
  const act = useAction(actions.override, () => {
    onDone()
    onClose()
  })
  const due = isKnown(change.policy) && change.policy.listed.due
  const missing = reason.trim() === '' ? 'Give a reason first.' : null
  return (
    <Sheet
      open
      onClose={onClose}
      crumb={`${change.workloadCluster} / ${change.groupName}`}
      title="Do not wait for its time"
      footer={
        <>
          {missing && (
            <p id="missing" className="basis-full text-sm text-ink-2">
              {missing}
            </p>
          )}
          <Commit
            tone="danger"
            onClose={onClose}
            onClick={() => act.run({ changeId: change.id, fingerprint, reason: reason.trim() })}
            pending={act.pending}
            disabled={missing !== null}
            aria-describedby={missing ? 'missing' : undefined}
          >
            Let it go now
          </Commit>
        </>
      }
    >
      <div className="grid gap-4">
        <p>
          The windows and freezes of its policies no longer hold this change, and no other one.{' '}
          {due
            ? 'It is approved: it goes at once.'
            : 'It takes the place of no approval: as many as its policy asks for are still needed.'}
        </p>
        <p className="text-ink-2">A newer desired state of the group is held to them again.</p>
        <Textarea
          label="Reason"
          hint="It is kept in the audit and stands on the page of the change, with your name."
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
          problem={problemOf(act.error?.fields, 'reason')}
        />
        {!act.error?.fields && <ErrorState error={act.error} />}
      </div>
    </Sheet>
  )
}
