'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getJson, problemFrom } from '@/components/live'
import { ErrorState, Section } from '@/components/ui'
import { useNow } from '@/components/ui/time'
import { isForbidden } from '@/lib/domain/policies'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { ChangeForecast } from '@/lib/services/forecast/forecast-change'
import type { Plan } from '@/lib/services/forecast/plan'
import { against, awaitedSentence, overdue, standsWords, stepsThrough } from './course-words'
import { behindLines, isBehind } from './machine-words'
import { hasFailed, movesNothing } from './moves'
import { PlayedForward } from './played'
import { isKnown, listedOf } from './standing-words'

const EVERY_MS = 30_000
/** While it runs; a large one takes its time to be played. */
const RUNNING_MS = 4_000
const LARGE = 1_000
const OVER = ['done', 'superseded', 'reverted']
const WAITING = ['waiting', 'rejected']

/** The rollout played forward, step by step; while it runs, where it is on what was foretold. */
export function Course({ change }: { change: UpdateDetail }) {
  const idle = change.outlook.blocked || movesNothing(change.outlook) || isForbidden(change, listedOf(change.policy))
  // What every machine has waits for them to be Ready, which nobody can play forward.
  const moves = !OVER.includes(change.state) && !change.settling && !(idle && WAITING.includes(change.state))
  const said = saidOf(change)
  const { data, error, isPlaceholderData } = useQuery({
    // Not with every step of every rollout: it is played anew when something was decided or wanted, and now and then.
    queryKey: [
      'forecast',
      change.id,
      change.fingerprint,
      change.state,
      change.decision?.id,
      change.decision?.state,
      said,
    ],
    placeholderData: keepPreviousData,
    // With the machines as they are now: those that come later are not on it twice.
    queryFn: async ({ signal }) => ({
      ...(await getJson<ChangeForecast>(`/api/updates/${change.id}/forecast`, signal)),
      hull: change.hull,
    }),
    enabled: moves,
    staleTime: EVERY_MS,
    refetchInterval: isRunning(change) && change.machines < LARGE ? RUNNING_MS : EVERY_MS,
  })
  if (!moves) return null
  if (change.awaited)
    return (
      <Section title="From here on">
        <p className="max-w-[88ch] text-pretty wrap-anywhere">{awaitedSentence(change.awaited)}</p>
      </Section>
    )
  if (error) return <ErrorState error={problemFrom(error)} className="mt-3" />
  const course = data ? allowed(data, change) : null
  const playing = course && (course.inPlace ?? course.replace)
  const paused = change.held?.theirs ?? null
  const stands = standsWords(change, paused)
  return (
    <PlayedForward
      title={isRunning(change) ? 'From here on' : 'Played forward'}
      course={course}
      hull={data?.hull ?? change.hull}
      group={change}
      // Under somebody's own pause nothing of it begins now.
      running={isRunning(change) && !paused}
      aged={isPlaceholderData || (data !== undefined && countsOf(data) !== countsOf(change))}
      begun={begunOf(change)}
      failed={change.machinesList.filter(hasFailed).map(({ name }) => name)}
      first={isRunning(change) ? null : listedOf(change.policy)?.way}
    >
      {!data && <p className="min-h-64 text-ink-3">Playing it forward…</p>}
      {isRunning(change) &&
        behindLines(change.machinesList).map((words) => (
          <p key={words} className="mb-2 max-w-[88ch] break-words">
            {words}
          </p>
        ))}
      {data?.notes.map((note) => (
        <p key={note} className="mb-2 max-w-[88ch] text-needs-ink">
          {note}
        </p>
      ))}
      {data?.approved && !paused && <Against change={change} approved={data.approved} />}
      {change.state === 'running' && !paused && playing && <Overdue change={change} plan={playing} />}
      {stands && playing && playing.moving > 0 && <p className="mb-2 max-w-[88ch]">{stands}</p>}
      {data && !playing && <p className="text-ink-3">Nothing is left to play forward.</p>}
    </PlayedForward>
  )
}

/** Nobody is shown a rollout in a way that nobody could approve. */
function allowed({ inPlace, replace }: ChangeForecast, { state, policy }: UpdateDetail) {
  const ways = WAITING.includes(state) && isKnown(policy) ? policy.ways : null
  return {
    inPlace: ways?.['in-place'].forbidden ? null : inPlace,
    replace: ways?.replace.forbidden ? null : replace,
  }
}

/** Other numbers are said: it is played anew with them. What runs changes all the time, and is played now and then anyway. */
export const saidOf = (change: Pick<UpdateDetail, 'state' | 'outlook' | 'hull'>): string =>
  JSON.stringify([
    ...[change.outlook.inPlace?.counts, change.outlook.replace.counts, failedOf(change)],
    isRunning(change) ? null : change.hull.counts,
  ])

const countsOf = ({ hull }: Pick<UpdateDetail, 'hull'>): string => JSON.stringify(hull.counts)

const failedOf = ({ hull }: Pick<UpdateDetail, 'hull'>): number =>
  hull.counts.reduce((sum, { mark, count }) => sum + (mark === 'failed' ? count : 0), 0)

const isRunning = ({ state }: Pick<UpdateDetail, 'state'>): boolean => state === 'running' || state === 'stuck'

const begunOf = ({ machinesList }: Pick<UpdateDetail, 'machinesList'>): ReadonlySet<string> =>
  new Set(machinesList.flatMap(({ name, progress }) => (progress?.startedAt && !progress.finishedAt ? [name] : [])))

function Overdue({ change, plan }: { change: UpdateDetail; plan: Plan }) {
  const now = useNow()
  return overdue(plan, change.machinesList, now).map((words) => (
    <p key={words} className="mb-2 max-w-[88ch] wrap-anywhere" suppressHydrationWarning>
      {words}
    </p>
  ))
}

function Against({ change, approved }: { change: UpdateDetail; approved: NonNullable<ChangeForecast['approved']> }) {
  const now = useNow()
  const through = stepsThrough(change.machinesList, approved.plan, approved.at)
  const behind = change.machinesList.filter((machine) => isBehind(machine) || machine.kept).length
  const words = against(approved.plan, Math.max(0, now - Date.parse(approved.at)), through, behind)
  return words ? (
    <p className="mb-2 max-w-[88ch]" suppressHydrationWarning>
      {words}
    </p>
  ) : null
}
