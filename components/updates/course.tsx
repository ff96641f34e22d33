'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { BigHull, HullLegend } from '@/components/hull'
import { getJson, problemFrom } from '@/components/live'
import { ErrorState, Section } from '@/components/ui'
import { useNow } from '@/components/ui/time'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { ChangeForecast } from '@/lib/services/forecast/forecast-change'
import type { Plan } from '@/lib/services/forecast/plan'
import { hullAt, stepsOf } from './course-at'
import { CourseChart } from './course-chart'
import { against, lasts, momentWords, restsOn, roomFor } from './course-words'

const EVERY_MS = 30_000
const OVER = ['done', 'superseded', 'reverted']

/** The rollout played forward, step by step; while it runs, where it is on what was foretold. */
export function Course({ change }: { change: UpdateDetail }) {
  const { data, error } = useQuery({
    // Not with every step of every rollout: it is played anew when something was decided or wanted, and now and then.
    queryKey: ['forecast', change.id, change.fingerprint, change.state],
    queryFn: ({ signal }) => getJson<ChangeForecast>(`/api/updates/${change.id}/forecast`, signal),
    enabled: !OVER.includes(change.state),
    staleTime: EVERY_MS,
    refetchInterval: EVERY_MS,
  })
  const [chosen, setChosen] = useState<Plan['way'] | null>(null)
  if (OVER.includes(change.state)) return null
  if (error) return <ErrorState error={problemFrom(error)} className="mt-3" />
  const ways = data ? [data.inPlace, data.replace].filter((plan) => plan !== null) : []
  const plan = ways.find(({ way }) => way === chosen) ?? ways[0]
  return (
    <Section
      title={change.state === 'running' || change.state === 'stuck' ? 'From here on' : 'Played forward'}
      aside={ways.length > 1 && plan && <WaySwitch way={plan.way} onChange={setChosen} />}
    >
      {!data && <p className="min-h-64 text-ink-3">Playing it forward…</p>}
      {data?.approved && <Against change={change} approved={data.approved} />}
      {data && !plan && (
        <p className="text-ink-3">There is nothing to play forward: the group is not there any more.</p>
      )}
      {plan && <Played key={`${plan.way} ${plan.moving}`} plan={plan} change={change} />}
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

function Played({ plan, change }: { plan: Plan; change: UpdateDetail }) {
  const steps = stepsOf(plan)
  const [step, setStep] = useState(0)
  const at = steps[Math.min(step, steps.length - 1)] ?? 0
  const hull = hullAt(change.hull, plan, at)
  const words = momentWords(plan, at)
  return (
    <>
      <p className="mb-1 max-w-[88ch]">
        <span className="font-medium">{lasts(plan)}</span> {roomFor(plan)}
      </p>
      <p className="mb-2 text-sm text-ink-3">{restsOn(plan.basis)}</p>
      <CourseChart frames={plan.frames} floor={plan.floor} ends={steps.at(-1) ?? 0} at={at} />
      <input
        type="range"
        min={0}
        max={steps.length - 1}
        value={step}
        onChange={(event) => setStep(Number(event.target.value))}
        aria-label="Step of the rollout"
        aria-valuetext={words}
        className="mt-2 block h-6 w-full accent-ink pointer-coarse:h-11"
      />
      <p className="mb-2 min-h-10">{words}</p>
      {hull && (
        <>
          <BigHull data={hull} />
          <HullLegend counts={hull.counts} />
        </>
      )}
    </>
  )
}

function Against({ change, approved }: { change: UpdateDetail; approved: NonNullable<ChangeForecast['approved']> }) {
  const now = useNow()
  const through = change.machinesList.filter(({ progress }) => progress?.startedAt && progress.finishedAt).length
  const words = against(approved.plan, Math.max(0, now - Date.parse(approved.at)), through)
  return words ? (
    <p className="mb-2 max-w-[88ch]" suppressHydrationWarning>
      {words}
    </p>
  ) : null
}
