'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button, RelativeTime } from '@/components/ui'
import type { TimesProps } from './times'
import { crumbOf } from './times-sheets'
import { ReasonSheet } from './reason-sheet'

/** Every machine has it: what it waits for, and that somebody may say that it does not. */
export function Settling(props: TimesProps) {
  const { change } = props
  const [asking, setAsking] = useState(false)
  if (change.counted) return <p>It was counted as done, and is over in a moment.</p>
  return (
    <>
      <p className="wrap-anywhere">
        <Why {...change} />
      </p>
      <Button
        tone={change.stopped ? 'primary' : undefined}
        why={change.may.approve ? undefined : 'counting it as done needs the role approver.'}
        onClick={() => setAsking(true)}
      >
        Count it as done…
      </Button>
      {asking && <CountDoneSheet {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

/** Who said that it is done, and what was not Ready then. */
export function CountedDone({ change }: Pick<TimesProps, 'change'>) {
  const { countedDone, machinesList } = change
  if (!countedDone) return null
  const failed = machinesList.filter(({ progress }) => progress?.failedFor)
  return (
    <p className="mt-1 max-w-[88ch] text-pretty wrap-anywhere">
      <span className="font-medium">{countedDone.by}</span> counted it as done <RelativeTime at={countedDone.at} />
      {countedDone.reason && <>: “{countedDone.reason}”</>}. {namedWords('Failed, or not Ready, by then', failed)}
    </p>
  )
}

/** The policy stopped it; somebody said no to it as well. */
const againstWords = ({ against }: Pick<TimesProps['change'], 'against'>): string =>
  against
    ? ` ${against.by} ${against.how === 'rejected' ? 'rejected it' : 'took back an approval of it'} as well, which is overruled by that.`
    : ''

function Why({ stopped, machinesList, against }: TimesProps['change']) {
  if (!stopped)
    return (
      <>
        Every machine has it. It is done when each that it updated or made was Ready since, and nothing is left to hold
        or to pause. {awaitedWords(machinesList)}
      </>
    )
  return (
    <>
      {stopped.policy ? (
        <>
          <span className="font-medium text-bad-ink">It stopped by itself</span> <RelativeTime at={stopped.at} />, by
          the policy <span className="font-medium">{stopped.policy}</span>: {stopped.why}. Every machine has it: nothing
          is left to hold. It is done only if somebody says so.{againstWords({ against })}
        </>
      ) : (
        <>
          <span className="font-medium text-bad-ink">It is done only if somebody says so.</span> {stopped.why}, as was
          seen <RelativeTime at={stopped.at} />.
        </>
      )}
    </>
  )
}

const MOST_NAMED = 3

/** "Not Ready yet: a, b, c and 2 more." */
function awaitedWords(machines: TimesProps['change']['machinesList']): string {
  const awaited = machines.filter(({ progress }) => progress?.awaited)
  return namedWords('Not Ready yet', awaited)
}

function namedWords(what: string, machines: readonly { name: string }[]): string {
  const more = machines.length - MOST_NAMED
  if (machines.length === 0) return ''
  const names = machines.slice(0, MOST_NAMED).map(({ name }) => name)
  return `${what}: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}

/** That it is done as it is, and why. */
function CountDoneSheet({ change, actions, onDone, onClose }: TimesProps & { onClose(): void }) {
  // What was looked at when the sheet opened.
  const [stoppedAt] = useState(change.stopped?.at ?? null)
  const act = useAction(actions.acceptFailures, () => {
    onDone()
    onClose()
  })
  return (
    <ReasonSheet
      {...{ act, onClose }}
      crumb={crumbOf(change)}
      tone="danger"
      title="Count it as done"
      verb="Count it as done"
      onRun={(reason = '') => act.run({ changeId: change.id, stoppedAt, asDone: true, again: true, reason })}
      hint="It is kept in the audit, with your name."
    >
      {change.stopped && (
        <p className="wrap-anywhere">
          {change.stopped.why}.{againstWords(change)}
        </p>
      )}
      <p>
        Every machine has it. What failed, or is not Ready, is accepted as it is and mended by nobody here: it is done
        then, and a wave that waits for it may begin. {awaitedWords(change.machinesList)}
      </p>
    </ReasonSheet>
  )
}
