'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Select } from '@/components/ui'
import { resumedWay } from '@/lib/domain/changes/resumed-way'
import { noRoomWords } from '@/lib/domain/rollout/no-room'
import { UNDER_WAY } from '@/lib/services/changes/states'
import { goesByIt, overrideWords, resumedWords } from './override-words'
import { pauseKept, pauseWords } from './pause-words'
import { EtcdWords, Risks } from './plane'
import { ReasonSheet } from './reason-sheet'
import { goOnWords, isKnown, nobodyHolds, resumeWords } from './standing-words'
import type { TimesProps as Props } from './times'
import { closedWords } from './timing-words'

/** Why it cannot wait. */
export function OverrideSheet({ change, actions, onDone, onClose }: Props & { onClose(): void }) {
  // What was looked at when the sheet opened.
  const [fingerprint] = useState(change.fingerprint)
  const act = useAction(actions.override, () => {
    onDone()
    onClose()
  })
  const known = isKnown(change.policy) ? change.policy : null
  const listed = known?.listed ?? null
  const by = known && { due: known.listed.due, unasked: known.unasked }
  const goes = by?.due || by?.unasked?.goes ? goesByIt(change, by.unasked?.goes ? listed?.way : null) : null
  const risks = change.plane?.risks[(change.dueMode ?? listed?.way) === 'replace' ? 'replace' : 'in-place'] ?? []
  return (
    <ReasonSheet
      {...{ act, onClose }}
      crumb={crumbOf(change)}
      tone="danger"
      title="Do not wait for its time"
      verb="Do not wait"
      onRun={(reason = '') => act.run({ changeId: change.id, fingerprint, reason })}
      hint="It is kept in the audit and stands on the page of the change, with your name."
    >
      {listed && !listed.timing.open && <p className="wrap-anywhere">{closedWords(listed.timing)}</p>}
      <p>
        Only this change no longer waits for the windows, freezes and waves of its policies; others still do.{' '}
        {overrideWords(by, change.held?.theirs, change.groupKind)}
      </p>
      {goes && <p className="font-medium wrap-anywhere">{goes}</p>}
      <Risks risks={risks} plane={change.plane} />
      {change.plane && <EtcdWords plane={change.plane} but={risks} />}
      <p className="text-ink-2">A newer desired state of the group is held to them again.</p>
    </ReasonSheet>
  )
}

/** Why what failed is accepted, and whether it stops again. */
export function GoOnSheet({
  change,
  stopped,
  actions,
  onDone,
  onClose,
}: Props & { stopped: NonNullable<Props['change']['stopped']>; onClose(): void }) {
  const [again, setAgain] = useState(true)
  // What was looked at when the sheet opened.
  const [stoppedAt] = useState(stopped.at)
  const act = useAction(actions.acceptFailures, () => {
    onDone()
    onClose()
  })
  return (
    <ReasonSheet
      {...{ act, onClose }}
      crumb={crumbOf(change)}
      tone="danger"
      title="Go on after failures"
      verb="Go on"
      onRun={(reason = '') => act.run({ changeId: change.id, stoppedAt, asDone: false, again, reason })}
      hint="It is kept in the audit, with your name."
    >
      <p className="wrap-anywhere">{stopped.why}.</p>
      <p>
        What failed so far is accepted, also what failed since it stopped, and does not count any more.{' '}
        {goOnWords(change, change.policy)} To end it for good, reject it instead.
      </p>
      {change.noRoom && (
        <p className="font-medium text-needs-ink wrap-anywhere">As it is now, {noRoomWords(change.noRoom)}.</p>
      )}
      <Select
        label="If more fail"
        value={again ? 'again' : 'never'}
        onChange={(e) => setAgain(e.target.value === 'again')}
      >
        <option value="again">it stops again, at as many from now on</option>
        <option value="never">it does not stop any more</option>
      </Select>
    </ReasonSheet>
  )
}

/** What a pause does, and why. */
export function PauseSheet({ change, actions, onDone, onClose }: Props & { onClose(): void }) {
  const act = useAction(actions.pause, () => {
    onDone()
    onClose()
  })
  const { does, meanwhile } = pauseWords(change)
  return (
    <ReasonSheet
      {...{ act, onClose }}
      crumb={crumbOf(change)}
      title="Pause the rollout"
      verb="Pause"
      tone="primary"
      optional
      onRun={(reason) => act.run({ changeId: change.id, ...(reason ? { reason } : {}) })}
      hint={pauseKept(change)}
    >
      <p>{does}</p>
      {change.unheard && <p className="font-medium">{nobodyHolds(change.unheard)}</p>}
      <p className="text-ink-2">{meanwhile}</p>
    </ReasonSheet>
  )
}

/** What goes on by it. */
export function ResumeSheet({
  change,
  paused,
  actions,
  onDone,
  onClose,
}: Props & { paused: NonNullable<Props['change']['paused']>; onClose(): void }) {
  // What was looked at when the sheet opened.
  const [pausedAt] = useState(paused.at)
  const goes = resumedWords(change, isKnown(change.policy) && change.policy.listed.due)
  const way = resumedIn(change)
  const risks = way ? (change.plane?.risks[way] ?? []) : []
  const act = useAction(actions.resume, () => {
    onDone()
    onClose()
  })
  return (
    <ReasonSheet
      {...{ act, onClose }}
      crumb={crumbOf(change)}
      title="Resume the rollout"
      verb="Resume"
      tone="primary"
      optional
      name={risks.length > 0 ? change.groupName : null}
      onRun={(reason, typedName) =>
        act.run({ changeId: change.id, pausedAt, ...(reason ? { reason } : {}), ...(typedName ? { typedName } : {}) })
      }
      hint="It is kept in the audit, with your name."
    >
      <p className="wrap-anywhere">
        {paused.by} paused it{paused.reason && `: “${paused.reason}”`}.
      </p>
      <p>{resumeWords(change, change.policy)}</p>
      {goes && <p className="font-medium wrap-anywhere">{goes}</p>}
      <Risks risks={risks} plane={change.plane} />
      {(goes || risks.length > 0) && change.plane && <EtcdWords plane={change.plane} but={risks} />}
    </ReasonSheet>
  )
}

/** As the server takes it (lib/services/changes/resume-change.ts). */
const resumedIn = ({ stopped, step, dueMode, decision, state }: Props['change']) =>
  resumedWay({
    isHeld: stopped !== null || step !== null,
    ...{ dueMode, last: UNDER_WAY.includes(state) ? (decision?.mode ?? null) : null },
  })

export const crumbOf = ({ workloadCluster, groupName }: Props['change']) => `${workloadCluster} / ${groupName}`
