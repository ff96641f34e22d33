'use client'

import { useState, type ReactNode } from 'react'
import { BigHull, HullLegend } from '@/components/hull'
import { Section } from '@/components/ui'
import type { HullData } from '@/lib/domain/hull'
import type { Plan } from '@/lib/services/forecast/plan'
import { hullAt, stepsOf, stepTo } from './course-at'
import { CourseChart } from './course-chart'
import { Turns } from './turns'
import { lasts, momentWords, restsOn, roomFor, triedAgain, unforetold } from './course-words'

interface Course {
  inPlace: Plan | null
  replace: Plan | null
}

/** A rollout played forward, step by step, the ways that there are beside each other. */
export function PlayedForward({
  title = 'Played forward',
  course,
  hull,
  group,
  running = false,
  aged = false,
  begun,
  failed,
  first = null,
  children,
}: {
  title?: string
  /** Null: it is not known yet. */
  course: Course | null
  /** The machines from which it was played. */
  hull: HullData
  group: Parameters<typeof unforetold>[0]
  running?: boolean
  /** The machines are others by now than those from which it was played. */
  aged?: boolean
  /** Machines by name that are under way already. */
  begun?: ReadonlySet<string>
  /** Machines by name that failed, also where somebody accepted that. */
  failed?: readonly string[]
  /** The way that is shown before somebody chooses one. */
  first?: Plan['way'] | null
  children?: ReactNode
}) {
  const [chosen, setChosen] = useState<Plan['way'] | null>(null)
  const ways = course ? [course.inPlace, course.replace].filter((plan) => plan !== null) : []
  const plan = ways.find(({ way }) => way === (chosen ?? first)) ?? ways[0]
  return (
    <Section title={title} aside={ways.length > 1 && plan && <WaySwitch way={plan.way} onChange={setChosen} />}>
      {children}
      {plan && (
        <>
          <Played key={`${plan.way} ${plan.moving}`} {...{ plan, hull, running, aged, failed }} />
          <Turns plan={plan} begun={begun} />
          <details className="mt-3">
            <summary className="min-h-6 w-fit text-sm text-ink-2 pointer-coarse:min-h-11 pointer-coarse:leading-[44px]">
              What cannot be foretold
            </summary>
            <ul className="mt-1 list-disc pl-5 text-sm text-pretty text-ink-2">
              {unforetold(group).map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          </details>
        </>
      )}
    </Section>
  )
}

const WAYS = [
  { way: 'in-place', words: 'in place' },
  { way: 'replace', words: 'replacing' },
] as const

function WaySwitch({ way, onChange }: { way: Plan['way']; onChange(way: Plan['way']): void }) {
  return (
    <span role="group" aria-label="Approved" className="inline-flex gap-1">
      {WAYS.map((one) => (
        <button
          key={one.way}
          type="button"
          className="btn btn-small aria-pressed:border-ink aria-pressed:font-medium"
          aria-pressed={one.way === way}
          onClick={() => onChange(one.way)}
        >
          {one.words}
        </button>
      ))}
    </span>
  )
}

function Played({
  plan,
  hull: now,
  running,
  aged,
  failed,
}: {
  plan: Plan
  hull: HullData
  running: boolean
  aged: boolean
  failed: readonly string[] | undefined
}) {
  const steps = stepsOf(plan, running)
  const [step, setStep] = useState(0)
  const at = steps[Math.min(step, steps.length - 1)] ?? 0
  const hull = hullAt(now, plan, at)
  const words = momentWords(plan, at, running, aged)
  const again = triedAgain(now, plan, failed)
  // Of what waits for somebody, there is nothing to be played.
  if (plan.moving === 0 && plan.stalled) return <p className="mb-1 max-w-[88ch] font-medium">{lasts(plan)}</p>
  return (
    <>
      <p className="mb-1 max-w-[88ch]">
        <span className="font-medium">{lasts(plan)}</span> {roomFor(plan)}
      </p>
      {again && <p className="mb-1 max-w-[88ch] wrap-anywhere">{again}</p>}
      <p className="mb-2 text-sm text-ink-3">{restsOn(plan.basis)}</p>
      <CourseChart frames={plan.frames} floor={plan.floor} ends={steps.at(-1) ?? 0} at={Math.max(0, at)} />
      <p aria-hidden className="mt-1 flex flex-wrap gap-x-4 text-xs text-ink-3">
        <span className="before:mr-1.5 before:inline-block before:h-0.5 before:w-4 before:bg-in-place before:align-middle">
          available
        </span>
        <span className="before:mr-1.5 before:inline-block before:h-px before:w-4 before:bg-line-strong before:align-middle">
          all machines
        </span>
        {plan.floor !== null && (
          <span className="before:mr-1.5 before:inline-block before:w-4 before:border-t before:border-dashed before:border-blocked before:align-middle">
            never fewer than {plan.floor}
          </span>
        )}
      </p>
      <input
        type="range"
        min={steps[0]}
        max={steps.at(-1)}
        value={at}
        onChange={(event) => setStep(stepTo(steps, step, Number(event.target.value)))}
        aria-label="Step of the rollout"
        aria-valuetext={words}
        className="mt-2 block h-6 w-full accent-ink pointer-coarse:h-11"
      />
      <p className="mb-2 min-h-10">{words}</p>
      {hull && (
        <>
          <BigHull data={hull} of="Machines at this step" />
          <HullLegend counts={hull.counts} />
        </>
      )}
    </>
  )
}
