'use client'

import clsx from 'clsx'
import Link from 'next/link'
import { useAction } from '@/components/live'
import { Button, ErrorState, RelativeTime } from '@/components/ui'
import { useNow } from '@/components/ui/time'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { RemediationView } from '@/lib/services/remediation/view'
import type { DecisionActions } from './decide-sheet'
import { isOver } from './machine-words'
import {
  amissWords,
  beforeWords,
  dangersOf,
  dangerWords,
  formerWords,
  joinWords,
  measuredWords,
  skippedWords,
  thenWords,
  uncountedWords,
  wereWords,
  whenWords,
} from './remediation-words'
import { isKnown, listedOf } from './standing-words'

interface Props {
  change: UpdateDetail
  actions: Pick<DecisionActions, 'skipRemediation' | 'mindRemediation'>
  onDone(): void
}

const FRAME = 'rounded-md border px-4 py-3'
const NAMED = 5

/** MachineHealthChecks that would have a machine deleted in the middle of its update, and what can be done about that. */
export function Remediation(props: Props) {
  const { remediation } = props.change
  if (!remediation) return null
  const [worst] = dangersOf(remediation)
  const skipped = remediation.skips !== null || remediation.now > 0
  const happened = remediation.ill.length + remediation.were.length + remediation.soon.length > 0
  if (!worst && !happened && !skipped && remediation.former.length === 0) return null
  // No machine of it is updated where it stands.
  const { state, policy } = props.change
  const replaced = ['waiting', 'rejected'].includes(state) && listedOf(policy)?.way === 'replace'
  if (replaced && !skipped) return null
  const bad = !skipped && (worst?.level === 'expected' || happened || (worst && remediation.before !== null))
  return (
    <section
      aria-label="Health checks"
      className={clsx(
        'mt-3 grid max-w-[88ch] justify-items-start gap-2',
        FRAME,
        bad ? 'border-blocked/40 bg-blocked-soft' : 'border-line bg-panel',
      )}
    >
      <Ill remediation={remediation} limited={isLimited(props.change)} />
      {remediation.soon.length > 0 && <SoonIll remediation={remediation} />}
      {worst && <Dangers remediation={remediation} spare={(props.change.outlook.inPlace?.created ?? 0) > 0} />}
      <Former remediation={remediation} />
      {skipped ? <Skipped {...props} remediation={remediation} /> : <Skip {...props} remediation={remediation} />}
    </section>
  )
}

/** Failures are counted: then it has to be said which are not. */
const isLimited = ({ stopped, policy }: UpdateDetail): boolean =>
  stopped !== null || (isKnown(policy) && policy.rules.stopsAt.value !== 'never')

function Ill({ remediation: { ill, were, uncounted }, limited }: { remediation: RemediationView; limited: boolean }) {
  if (ill.length + were.length === 0) return null
  return (
    <ul className="grid gap-1">
      {ill.slice(0, NAMED).map(({ name, words, fate, marked, inUpdate }) => (
        <li key={name} className="text-pretty wrap-anywhere">
          <span className="font-medium text-bad-ink">
            {name} was {marked ? 'marked by somebody to be remediated' : 'found ill'}.
          </span>{' '}
          {fate} {inUpdate === 'lost' && 'It is not counted as updated any more. '}
          <span className="text-ink-2">{words}</span>
        </li>
      ))}
      {wereWords(were).map((words) => (
        <li key={words} className="font-medium text-pretty wrap-anywhere">
          {words}
        </li>
      ))}
      {ill.length > NAMED && <li>{ill.length - NAMED} more were found ill.</li>}
      {limited &&
        uncountedWords(uncounted).map((words) => (
          <li key={words} className="text-pretty">
            {words}
          </li>
        ))}
    </ul>
  )
}

/** Not well now: when that is too long by the check’s own time-outs. */
function SoonIll({ remediation }: { remediation: RemediationView }) {
  const { soon, soonMore } = remediation
  const more = soonMore + Math.max(0, soon.length - NAMED)
  const now = useNow()
  return (
    <ul className="grid gap-1">
      {soon.slice(0, NAMED).map((one) => (
        <li key={`${one.name} ${one.check}`} className="text-pretty wrap-anywhere">
          <span className="font-medium text-bad-ink">
            {amissWords(one)} <RelativeTime at={one.since} />.
          </span>{' '}
          The health check <span className="font-mono">{one.check}</span> finds it ill{' '}
          {Date.parse(one.at) > now ? <RelativeTime at={one.at} /> : 'any moment'}
          {thenWords(remediation)}
        </li>
      ))}
      {more > 0 && <li>So it is {more} times more.</li>}
    </ul>
  )
}

function Dangers({ remediation, spare }: { remediation: RemediationView; spare: boolean }) {
  const dangers = dangersOf(remediation)
  const words = dangerWords(remediation)
  if (!words) return null
  return (
    <>
      <p className="font-medium text-pretty">{words}</p>
      {remediation.before && (
        <p className="text-pretty">
          {beforeWords(remediation.before)} The last time <RelativeTime at={remediation.before.at} />.
        </p>
      )}
      <ul className="grid gap-1">
        {dangers.map((check) => (
          <li key={check.name} className="text-pretty wrap-anywhere">
            The health check <span className="font-mono">{check.name}</span> {whenWords(check)}{' '}
            <span className="text-ink-2">
              {measuredWords(check, remediation)} {spare && joinWords(check)}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-sm text-pretty text-ink-2">
        Health checks know nothing of updates in place: a host that starts anew looks to them like one that is gone.
      </p>
    </>
  )
}

/** What was begun before this change goes on to its end as that was asked for. */
function Former({ remediation: { former } }: { remediation: RemediationView }) {
  return former.map(({ changeId, summary, machines }) => (
    <p key={changeId} className="text-pretty wrap-anywhere">
      {formerWords(machines)}{' '}
      <Link href={`/updates/${changeId}`} prefetch={false} className="underline">
        {summary}
      </Link>
      : each is as it was before once it is through with that, or once somebody says so there.
    </p>
  ))
}

function Skip({ change, actions, onDone, remediation }: Props & { remediation: RemediationView }) {
  const skip = useAction(actions.skipRemediation, onDone)
  const role = change.may.approve ? undefined : 'that needs the role approver.'
  return (
    <>
      {remediation.others > 0 && <p className="text-ink-2">{othersSkip(remediation.others)}</p>}
      <Button
        small
        why={role ?? remediation.cannot ?? undefined}
        pending={skip.pending}
        onClick={() => skip.run({ changeId: change.id })}
      >
        Skip remediation while they are updated
      </Button>
      <ErrorState error={skip.error} />
    </>
  )
}

const othersSkip = (n: number): string => `Somebody else skips it on ${n} of its machines, and that stays so.`

/** Asked for, or not restored yet. */
function Skipped({ change, actions, onDone, remediation }: Props & { remediation: RemediationView }) {
  const mind = useAction(actions.mindRemediation, onDone)
  const { skips, now, refused } = remediation
  return (
    <>
      <p className="text-pretty">
        {skips && !isOver(change.state) && (
          <>
            <span className="font-medium">{skips.by}</span> has remediation skipped for machines while they are updated
            in place, for <RelativeTime at={skips.at} bare /> now.{' '}
          </>
        )}
        {skippedWords(now)} {skips && now > 0 && isOver(change.state) && change.newer && 'The newer change asks anew. '}
        {remediation.others > 0 && othersSkip(remediation.others)}
      </p>
      <ErrorState
        error={
          refused === null ? null : { message: 'The API server refused that. It is tried again.', answer: refused }
        }
      />
      {skips && (!isOver(change.state) || now > 0) && (
        <Button
          small
          why={change.may.approve ? undefined : 'that needs the role approver.'}
          pending={mind.pending}
          onClick={() => mind.run({ changeId: change.id })}
        >
          Do not skip it any more
        </Button>
      )}
      <ErrorState error={mind.error} />
    </>
  )
}
