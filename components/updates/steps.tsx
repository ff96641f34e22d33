'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button } from '@/components/ui'
import { peopleWords } from '@/lib/domain/people'
import { deletesAny, goesWords, leftOf, oldsLeft, thenGoes } from './next-words'
import { EtcdWords, Risks, waitsAllTheSame } from './plane'
import { ReasonSheet } from './reason-sheet'
import { isKnown } from './standing-words'
import type { TimesProps } from './times'
import { crumbOf } from './times-sheets'

/** A control plane that goes machine by machine: where it stands, and the next one. */
export function StepLine(props: TimesProps) {
  const { change } = props
  const [asking, setAsking] = useState<Asking | null>(null)
  const { step, oneByOne } = change
  // Every machine has it: there is no next one.
  if (!oneByOne || change.settling) return null
  const sheet = asking && <NextSheet key="next" {...props} asking={asking} onClose={() => setAsking(null)} />
  if (!step)
    return (
      <>
        <p className="text-ink-2">
          {isLetGo(change)
            ? `It goes one machine at a time: ${goingWords(oneByOne, change.plane)} ${thenGoes(change.machines - oneByOne.done - 1, leftOf(change))}`
            : `${isApproved(change) ? 'It is approved for' : 'Approved, it goes'} one machine at a time: after each it waits until somebody lets the next one go.`}
        </p>
        {sheet}
      </>
    )
  const ask = (all: boolean) => setAsking({ done: step.done, olds: oldsLeft(change), all })
  const why = change.may.approve ? undefined : 'letting it go on needs the role approver.'
  return (
    <>
      <p>
        <span className="font-medium">
          {step.done} of {step.of} {step.of === 1 ? 'machine' : 'machines'}, as approved; the next one waits for
          somebody.
        </span>{' '}
        What it was approved with stands. {deletesAny(leftOf(change)) && AHEAD}
      </p>
      {besidesPlane(change).map((risk) => (
        <p key={risk} className="font-medium wrap-anywhere">
          {risk}
        </p>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" why={why} onClick={() => ask(false)}>
          Next machine…
        </Button>
        <Button why={why} onClick={() => ask(true)}>
          All others…
        </Button>
      </div>
      {sheet}
    </>
  )
}

/** Where it stood when the sheet opened. */
interface Asking {
  done: number
  /** Old ones that are left. */
  olds: number
  all: boolean
}

function NextSheet({
  change,
  actions,
  onDone,
  onClose,
  asking: { done, olds, all },
}: TimesProps & { asking: Asking; onClose(): void }) {
  const act = useAction(actions.nextMachine, () => {
    onDone()
    onClose()
  })
  const left = leftOf(change)
  const risks = risksOf(change)
  return (
    <ReasonSheet
      {...{ act, onClose }}
      over={change.step?.done === done ? null : 'Somebody let it go on meanwhile: look at where it stands now.'}
      crumb={crumbOf(change)}
      title={all ? 'Let all others go' : 'Let the next machine go'}
      verb={all ? 'All others' : 'Next machine'}
      tone={deletesAny(left) ? 'danger' : 'primary'}
      optional
      name={risks.length > 0 ? change.groupName : null}
      onRun={(reason, typedName) =>
        act.run({ changeId: change.id, done, all, ...(reason ? { reason } : {}), ...(typedName ? { typedName } : {}) })
      }
      hint="It is kept in the audit, with your name."
    >
      <p>{goesWords(olds, all, left)}</p>
      <Risks risks={risks} plane={change.plane} />
      {change.plane && <EtcdWords plane={change.plane} way={left.spared > 0 ? 'either' : left.how} but={risks} />}
    </ReasonSheet>
  )
}

/** What stands against dealing with the next one, as it is known by now. */
const risksOf = ({ plane, dueMode, decision }: TimesProps['change']): string[] =>
  plane?.risks[(dueMode ?? decision?.mode) === 'replace' ? 'replace' : 'in-place'] ?? []

/** What the section of its control plane does not say. */
const besidesPlane = (change: TimesProps['change']): string[] =>
  risksOf(change).filter((risk) => !change.plane?.words.includes(risk))

/** As many have approved it as it takes: who wanted it so may have been the first of them. */
const isApproved = ({ policy }: TimesProps['change']): boolean => !isKnown(policy) || policy.listed.due

const isLetGo = ({ state }: TimesProps['change']): boolean => !['waiting', 'rejected'].includes(state)

export function goingWords(
  { machine, done }: NonNullable<TimesProps['change']['oneByOne']>,
  plane: Parameters<typeof waitsAllTheSame>[0],
): string {
  if (machine) return `${machine} is the one of this step.`
  const waits = waitsAllTheSame(plane) !== null
  const next =
    done > 0 ? `${done} done, and ${waits ? '' : 'now '}the next one` : `the first one${waits ? '' : ' goes now'}`
  return waits ? `${next} waits until etcd has a member to spare.` : `${next}.`
}

/** Nobody is asked before a machine is made, nor before the last one is deleted. */
const AHEAD = 'Cluster API asks nobody before it makes a new machine: one more may have begun before the hold was back.'

export type Pace = 'all' | 'one'

/** What an approval lets go now, where that is not all of it. */
export const firstWords = (pace: Pace, machines: number): string | null =>
  pace === 'one' ? `1 of ${machines} machines now; then it waits until somebody lets the next one go.` : null

export const othersWords = (names: readonly string[]): string =>
  `${peopleWords(names)} ${names.length === 1 ? 'wants' : 'want'} one machine, then wait: it goes so.`

/** How many machines of a control plane an approval lets go at once. */
export function PaceChoice({
  pace,
  mode,
  others,
  spare,
  onChange,
}: {
  pace: Pace
  mode: 'in-place' | 'replace'
  /** Who approved it one machine at a time: nothing is left to choose. */
  others: readonly string[]
  /** Machines are deleted, too, where they are updated in place. */
  spare: boolean
  onChange(pace: Pace): void
}) {
  const options: [Pace, string][] = [
    ['all', 'All machines, one after the other'],
    ['one', 'One machine, then wait'],
  ]
  return (
    <fieldset className="mb-2">
      <legend className="mb-1 text-sm font-medium">How many</legend>
      <div className="grid gap-1">
        {options.map(([value, words]) => (
          <label key={value} className="flex min-h-6 items-center gap-2 max-phone:min-h-11">
            <input
              type="radio"
              name="pace"
              checked={pace === value}
              disabled={others.length > 0}
              onChange={() => onChange(value)}
            />
            {words}
          </label>
        ))}
      </div>
      {others.length > 0 && <p className="mt-1">{othersWords(others)}</p>}
      {pace === 'one' && <p className="mt-1 max-w-[60ch] text-sm text-pretty text-ink-2">{strengthOf(mode, spare)}</p>}
    </fieldset>
  )
}

/** What holds the next machine, and how surely. */
function strengthOf(mode: 'in-place' | 'replace', spare: boolean): string {
  if (mode === 'replace')
    return 'When one is replaced, Drydock holds the control plane again. Nobody is asked before a new machine is made, so a second one may have begun by then. Where Cluster API asks the update gate before it deletes one, none but this is deleted.'
  return `Before each machine Cluster API asks, and is told to wait until somebody lets the next one go.${
    spare
      ? ' Nobody is asked about the spare one, nor about the last one, which is deleted with the one before it.'
      : ''
  }`
}
