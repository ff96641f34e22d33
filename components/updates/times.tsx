'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button, ErrorState, LinkButton, RelativeTime } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { begunOf } from '@/lib/domain/changes/begun-of'
import { isForbidden } from '@/lib/domain/policies'
import { COUNTED } from '@/lib/services/changes/counted'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import type { DecisionActions } from './decide-sheet'
import { noWayBackWords } from './back-words'
import { isOver } from './machine-words'
import { failedSince } from './machine-words'
import { heldAtEnd, letGoBy } from './outcome-words'
import { isToPause, leavesTaken } from './pause-words'
import {
  allBegun,
  closesFor,
  isEnough,
  isKnown,
  nothingToHold,
  nobodyHolds,
  pausedWords,
  restWords,
} from './standing-words'
import { StepLine } from './steps'
import { GoOnSheet, OverrideSheet, PauseSheet, ResumeSheet } from './times-sheets'
import { Settling } from './settling'
import {
  closedWords,
  goingWords,
  isUnshaped,
  openWaveWords,
  stoppedRun,
  thenKeptWords,
  thenWords,
} from './timing-words'
import { isRejectedSince } from './rejected-words'

type Actions = Pick<
  DecisionActions,
  'override' | 'restore' | 'pause' | 'resume' | 'acceptFailures' | 'restoreLimit' | 'nextMachine'
>
export interface TimesProps {
  change: UpdateDetail
  actions: Actions
  onDone(): void
}

/** Where a change stands in the windows, freezes and waves of its policies, and what people said besides. */
export function Times(props: TimesProps) {
  const { change } = props
  const { policy, override, paused, stopped } = change
  if (isOver(change.state)) return null
  // Windows, freezes and pauses are about what is let go here.
  if (isRunning(change) && !isLetGoHere(change) && !change.settling) {
    if (change.unapproved) return <Unapproved {...props} />
    // Whoever had let it go, or said no: it is to be held by what somebody said since.
    return stopped?.why === COUNTED ? (
      <div className="mt-3 grid max-w-[88ch] justify-items-start gap-2">
        <StoppedLine {...props} stopped={stopped} />
      </div>
    ) : null
  }
  return (
    <div className="mt-3 grid max-w-[88ch] justify-items-start gap-2">
      {change.settling ? <Settling {...props} /> : stopped && <StoppedLine {...props} stopped={stopped} />}
      <StepLine {...props} />
      {change.neverStops && <NeverStops {...props} />}
      {paused && <PausedLine {...props} paused={paused} />}
      {change.wentOn && !isRejectedSince(change, change.wentOn.at) && <WentOn wentOn={change.wentOn} />}
      {!change.settling && (stopped || (paused && !change.pausedUntilHeld)) && <GoingBack change={change} />}
      {override && <Overridden {...props} override={override} />}
      {isKnown(policy) && (!override || stoppedRun(policy.listed.timing)) && (
        <Calendar {...props} listed={policy.listed} />
      )}
      {isRunning(change) && !paused && !stopped && !change.settling && !allBegun(change) && <Pause {...props} />}
    </div>
  )
}

/** Nobody who may take a hold away in the cluster is fought; whoever wants it held says so here. */
function Unapproved(props: TimesProps) {
  const { change } = props
  const { paused, unapproved } = change
  const toPause = isToPause(change)
  const leavesIt = leavesTaken(change)
  if (unapproved !== 'taken' && !paused && !toPause) return null
  return (
    <div className="mt-3 grid max-w-[88ch] justify-items-start gap-2">
      {(leavesIt || paused || toPause) && (
        <p>
          {leavesIt && 'Drydock does not put back a hold that one of those who may took away. '}
          {paused && change.pausedUntilHeld ? (
            <UntilHeld change={change} paused={paused} />
          ) : paused ? (
            <>
              <span className="font-medium">{paused.by}</span> paused it <RelativeTime at={paused.at} />
              {paused.reason && <>: “{paused.reason}”</>}. It is being held: machines that have begun are finished, the
              rest waits for approvals.{change.unheard && ` ${nobodyHolds(change.unheard)}`}
            </>
          ) : (
            toPause && 'Paused here, it is held: machines that have begun are finished, the rest waits for approvals.'
          )}
        </p>
      )}
      {!paused && <Pause {...props} />}
    </div>
  )
}

const UntilHeld = ({
  change,
  paused,
}: Pick<TimesProps, 'change'> & { paused: NonNullable<UpdateDetail['paused']> }) => (
  <>
    <span className="inline-block font-medium first-letter:uppercase">{paused.by}</span> {paused.reason}{' '}
    <RelativeTime at={paused.at} />: its group is being held again, and waits for approvals then. Machines that begin
    meanwhile are finished.{change.unheard && ` ${nobodyHolds(change.unheard)}`}
  </>
)

function PausedLine(props: TimesProps & { paused: NonNullable<UpdateDetail['paused']> }) {
  const { change, paused } = props
  const [asking, setAsking] = useState(false)
  if (change.pausedUntilHeld)
    return (
      <p>
        <UntilHeld change={change} paused={paused} />
      </p>
    )
  return (
    <>
      <p>
        <span className="font-medium">{paused.by}</span> paused it <RelativeTime at={paused.at} />
        {paused.reason && <>: “{paused.reason}”</>}. {pausedWords(change)}
      </p>
      <Button
        tone="primary"
        why={change.may.approve ? undefined : 'resuming needs the role approver.'}
        onClick={() => setAsking(true)}
      >
        Resume…
      </Button>
      {asking && <ResumeSheet {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

function StoppedLine(props: TimesProps & { stopped: NonNullable<UpdateDetail['stopped']> }) {
  const { change, stopped } = props
  const [asking, setAsking] = useState(false)
  // By what somebody said, and not held yet: nobody lets that go on.
  const waits = isRunning(change) && !stopped.policy
  return (
    <>
      <p className="wrap-anywhere">
        <span className="font-medium text-bad-ink">{stopped.policy ? 'It stopped by itself' : 'It stopped'}</span>{' '}
        <RelativeTime at={stopped.at} />
        {stopped.policy && (
          <>
            , by the policy <span className="font-medium">{stopped.policy}</span>
          </>
        )}
        : {stopped.why}. {failedSince(change.machinesList, stopped)}
        {isRunning(change) ? restWords(change) : 'Machines that have begun are finished; the rest is held.'}{' '}
        {waits ? 'Once it is held it waits for approvals.' : 'It goes on only if somebody says so.'}
      </p>
      {!waits && (
        <Button
          tone="primary"
          why={change.may.approve ? undefined : 'letting it go on needs the role approver.'}
          onClick={() => setAsking(true)}
        >
          Go on…
        </Button>
      )}
      {asking && <GoOnSheet {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

/** After it had stopped by itself: with whose word it goes on. */
function WentOn({ wentOn: { by, at, reason, policy, was } }: { wentOn: NonNullable<UpdateDetail['wentOn']> }) {
  return (
    <p className="wrap-anywhere">
      <span className="font-medium">{by}</span> let it go on <RelativeTime at={at} />
      {reason && <>: “{reason}”</>}. It had stopped by itself before{policy && <>, by the policy {policy}</>}
      {was && <>: {was}</>}.
    </p>
  )
}

/** From there it is written, too. */
function GoingBack({ change }: Pick<TimesProps, 'change'>) {
  const none = noWayBackWords(change)
  if (none) return <p className="text-ink-2">{none}</p>
  if (!change.may.plan) return null
  return (
    <LinkButton small href={`/plan?back=${change.id}`} prefetch={false}>
      What going back would do
    </LinkButton>
  )
}

function NeverStops({ change, actions, onDone }: TimesProps) {
  const restore = useAction(actions.restoreLimit, onDone)
  return (
    <>
      <p>It does not stop by itself any more, whatever fails: so it was let go on.</p>
      <Button
        small
        why={change.may.reject ? undefined : 'that needs the role operator.'}
        pending={restore.pending}
        onClick={() => restore.run({ changeId: change.id })}
      >
        Let it stop again
      </Button>
      <ErrorState error={restore.error} />
    </>
  )
}

function Overridden({
  change,
  actions,
  onDone,
  override,
}: TimesProps & { override: NonNullable<UpdateDetail['override']> }) {
  const restore = useAction(actions.restore, onDone)
  return (
    <>
      <p>
        {isRejectedSince(change, override.at) &&
          'It is rejected. Approved after all, it would not wait for its times: '}
        <span className="font-medium">{override.by}</span> had it not wait for its windows, freezes and waves{' '}
        <RelativeTime at={override.at} />: “{override.reason}”
        {isKnown(change.policy) &&
          stoppedRun(change.policy.listed.timing) &&
          '. That its waves were stopped holds it all the same.'}
      </p>
      {change.may.override && !nothingToHold(change) && (
        <Button small pending={restore.pending} onClick={() => restore.run({ changeId: change.id })}>
          Hold it to them again
        </Button>
      )}
      <ErrorState error={restore.error} />
    </>
  )
}

function Calendar(props: TimesProps & { listed: ListedStanding }) {
  const { change, listed } = props
  const { timing } = listed
  const waves = timing.wave && (
    <LinkButton
      {...(stoppedRun(timing) ? { tone: 'primary' } : { small: true })}
      href={`/updates/waves?change=${change.id}`}
      prefetch={false}
    >
      See the waves
    </LinkButton>
  )
  if (timing.paused || timing.stopped || timing.step) {
    // Said above; only what holds it when that is over.
    const [first, ...more] = timing.besides
    if (!first) return null
    return (
      <>
        <p className="text-ink-2">Besides: {closedWords({ ...first, besides: more })}</p>
        {stoppedRun(timing) && waves}
      </>
    )
  }
  if (change.state === 'rejected' && timing.why === 'hook') return <p>{KEPT_WAITING}</p>
  // Nothing of it goes, whenever its time is: an approval after all says so where it is given.
  if (change.state === 'rejected' && !listed.due) return waves || null
  const unwatched =
    change.unheard === 'no-worker' && timing.wave !== null && begunOf(change) === null && !isRunning(change)
  if (timing.open)
    return (
      <>
        {timing.wave?.place && (
          <p className="text-ink-2">
            {openWaveWords(timing.wave.policy.name, timing.wave.place)}
            {unwatched && ` ${UNWATCHED}`}
          </p>
        )}
        {timing.closes && <p className="text-ink-2">{closesFor(timing, isRunning(change), change.unheard)}</p>}
        {waves && (
          <div className="flex flex-wrap gap-2">
            {waves}
            {unwatched && <DoNotWait {...props} />}
          </div>
        )}
      </>
    )
  const { due, stands, early, goes } = listed
  const begun = due || goes ? begunOf(change) : null
  // Said by its chip and its headline; no time keeps it.
  if (begun === 'all' && !isRunning(change)) return waves || null
  const what = isEnough(listed) ? 'Approved once more, it' : goingWords(listed, begun !== null)
  // Nobody can approve it, so its times keep nothing.
  const never = isForbidden(change, listed)
  const theirs = due || goes ? change.held?.theirs : null
  const goesThen = theirs ? thenKeptWords(timing, theirs) : thenWords(timing, null, what, due)
  const then = early || never ? null : goesThen
  return (
    <>
      <p className="wrap-anywhere">
        {closedWords(timing)} {isRunning(change) ? restWords(change) : then}
        {timing.opens && (
          <span className="text-ink-3">
            {' '}
            Its time comes <RelativeTime at={timing.opens} />.
          </span>
        )}
      </p>
      {early && !never && !isRunning(change) && (
        <p className="font-medium wrap-anywhere">{thenWords(timing, early, what, stands)}</p>
      )}
      <div className="flex flex-wrap gap-2">
        {waves}
        {!never &&
          !(isRunning(change) && nothingToHold(change)) &&
          timing.wave?.place?.state !== 'stopped' &&
          timing.why !== 'hook' &&
          !isUnshaped(timing) && <DoNotWait {...props} />}
        {(due || goes) && change.state === 'waiting' && <Pause {...props} />}
      </div>
    </>
  )
}

const UNWATCHED =
  'But no worker of Drydock follows its cluster now, so nobody sees whether it still is: what has not begun waits until one does.'

function DoNotWait(props: TimesProps) {
  const [asking, setAsking] = useState(false)
  const may = props.change.may.override
  return (
    <>
      <Button
        small
        why={may ? undefined : 'having it not wait for its times needs the role approver.'}
        onClick={() => setAsking(true)}
      >
        Do not wait…
      </Button>
      {asking && <OverrideSheet {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

const KEPT_WAITING =
  'It was rejected: it goes on as it is, and its Cluster waits with the version. To take the version back, write the old one to the Cluster with the annotation unsafe.topology.cluster.x-k8s.io/disable-update-version-check.'

function Pause(props: TimesProps) {
  const [asking, setAsking] = useState(false)
  // What somebody is writing in is not taken away from them.
  if (!asking && !isToPause(props.change)) return null
  return (
    <>
      <Button
        small
        why={props.change.may.reject ? undefined : 'pausing needs the role operator.'}
        onClick={() => setAsking(true)}
      >
        Pause…
      </Button>
      {asking && <PauseSheet {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

const isRunning = ({ state }: UpdateDetail): boolean => !['waiting', 'rejected'].includes(state)

const isLetGoHere = (change: UpdateDetail): boolean => letGoBy(change) !== null || heldAtEnd(change)
