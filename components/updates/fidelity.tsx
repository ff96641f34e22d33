import type { TrackRecord } from '@/lib/services/forecast/record-of'
import type { ChangeMachine } from '@/lib/services/changes/get-change'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

/** "409 of 412 machines (99.3 %)" */
export function rightWords({ foretold, asForetold }: Pick<TrackRecord, 'foretold' | 'asForetold'>): string {
  const share = foretold === 0 ? 100 : Math.floor((asForetold / foretold) * 1000) / 10
  return `${asForetold} of ${foretold} machine${foretold === 1 ? '' : 's'} (${share} %)`
}

const FATES: Record<string, string> = {
  'in-place': 'updated in place',
  replace: 'replaced',
  'up-to-date': 'left as it is',
}

/** What became of a machine, in the words of what was foretold. */
function fateOf({ progress }: ChangeMachine): string | null {
  if (progress?.state === 'deleted') return 'replace'
  // Of what is over, what still waits was not touched.
  if (progress?.state === 'waiting') return 'up-to-date'
  if (progress?.state !== 'done') return null
  return progress.startedAt ? 'in-place' : 'up-to-date'
}

type Foretold = UpdateDetail['createdForetold']

const isGone = ({ progress }: ChangeMachine): boolean => progress?.state === 'deleted' || progress?.state === 'deleting'
const isRemediated = (machine: ChangeMachine): boolean => isGone(machine) && !!machine.progress?.ill

/** How many fewer are there than were wanted when it was approved. */
const fewerOf = (machines: readonly ChangeMachine[], plan: Foretold): number | null =>
  plan?.wanted == null ? null : plan.wanted - machines.filter((one) => one.progress && !isGone(one)).length

/** Machines that fared otherwise than was foretold: "a was to be updated in place and was deleted". */
export function otherwise(machines: readonly ChangeMachine[], plan: Foretold = null): string[] {
  const anew = (fewerOf(machines, plan) ?? 1) <= 0 ? ' and made anew' : ''
  return machines.flatMap((machine) => {
    const { progress } = machine
    // What moved before anybody approved it was foretold by nobody.
    if (plan && progress?.startedAt && progress.startedAt < plan.first) return []
    const [said, was] = [progress?.predicted ?? '', fateOf(machine)]
    if (said in FATES && progress?.state === 'failed') return [`${machine.name} was to be ${FATES[said]} and failed`]
    // It fared so, and was not well then.
    if (said === 'in-place' && was === said && progress?.failedFor)
      return [`${machine.name} was updated in place as foretold, and failed: ${progress.failedFor}`]
    if (progress?.state === 'created' && progress.failedFor && !progress.throughAt)
      return [`${machine.name} was created, and failed: ${progress.failedFor}`]
    if (!(said in FATES) || was === null || said === was) return []
    if (isRemediated(machine))
      return [`${machine.name} was to be ${FATES[said]}, and was deleted by remediation${anew}`]
    // Whether another one came for it, or the group was made smaller meanwhile, is not known of it alone.
    return [`${machine.name} was to be ${FATES[said]} and was ${was === 'replace' ? 'deleted' : FATES[was]}`]
  })
}

const MOST = 500

/** New machines have no names before they are there: of more than were foretold, the last ones are those that nobody spoke of. */
export function otherCount(machines: readonly ChangeMachine[], plan: Foretold): string[] {
  // Of large groups not all rows are here.
  if (plan === null || machines.length >= MOST) return []
  const { count: foretold, since } = plan
  const at = ({ progress }: ChangeMachine) => progress?.startedAt ?? ''
  const created = machines
    .filter((machine) => machine.progress?.state === 'created' && at(machine) >= since)
    .sort((a, b) => (at(a) < at(b) ? -1 : 1))
  // One for each that was remediated: that is said of those.
  const more = created.slice(foretold + machines.filter(isRemediated).length).map(({ name }) => name)
  const few = foretold - created.length
  return [
    ...(more.length > 0
      ? [
          `${more.slice(0, 10).join(', ')}${more.length > 10 ? ` and ${more.length - 10} more` : ''} came besides: more were wanted meanwhile, or another one was made up for`,
        ]
      : []),
    ...(few > 0
      ? [`${few} of the ${foretold} machines that were to be created ${few === 1 ? 'was' : 'were'} not`]
      : []),
    ...((fewerOf(machines, plan) ?? 0) > 0 ? ['Fewer were wanted meanwhile than when it was approved'] : []),
  ]
}

/** Of a change that is over: whether it went as was foretold when somebody approved it. */
export function AsForetold({ change }: { change: UpdateDetail }) {
  const { foretold, asForetold, track } = change
  if (change.state !== 'done' || foretold === null || asForetold === null) return null
  const differing =
    foretold === asForetold
      ? []
      : [
          ...otherwise(change.machinesList, change.createdForetold),
          ...otherCount(change.machinesList, change.createdForetold),
        ]
  return (
    <div className="mb-3 max-w-[88ch] text-sm text-ink-2">
      <p>
        {foretold === asForetold ? 'As foretold: ' : 'Not quite as foretold: '}
        {rightWords({ foretold, asForetold })} fared as was said when it was approved
        {track && track.changes > 1 && <>; of this group so far {rightWords(track)}</>}.
      </p>
      {foretold !== asForetold && differing.length === 0 && (
        <p className="mt-1">Which of them fared otherwise is not on record any more.</p>
      )}
      {differing.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {differing.slice(0, 10).map((words) => (
            <li key={words} className="break-words">
              {words}.
            </li>
          ))}
          {differing.length > 10 && <li>and {differing.length - 10} more.</li>}
        </ul>
      )}
    </div>
  )
}
