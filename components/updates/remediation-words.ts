import { duration } from '@/components/ui/time-words'
import { BY_OTHERS } from '@/lib/domain/changes/by-others'
import { LEFT_AFTER_MIN, LEVELS, type Level, type Risk } from '@/lib/domain/health-checks'
import type { ComingUp } from '@/lib/services/remediation/coming-up'
import type { Soon } from '@/lib/services/remediation/soon'
import type { CheckView, RemediationView } from '@/lib/services/remediation/view'

/** The checks that may have a machine remediated in the middle of its update, the most likely first; where one did, all that could. */
export const dangersOf = (view: RemediationView): CheckView[] =>
  view.checks
    .filter(({ idle, level, risks }) => idle === null && risks.length > 0 && (level !== 'unlikely' || hasFound(view)))
    .sort((a, b) => LEVELS.indexOf(b.level) - LEVELS.indexOf(a.level))

/** A check did it here already, in this change or in one before. */
const hasFound = (view: RemediationView): boolean => view.before !== null || didHere(view)

/** In this change, also where the machine is not gone yet. */
const didHere = ({ were, ill }: RemediationView): boolean =>
  were.some(isFound) || ill.some(({ marked, inUpdate }) => !marked && inUpdate !== undefined)

/** A check did it in the middle of an update, or after it, and nobody by hand. */
const isFound = ({ marked, waited }: RemediationView['were'][number]): boolean => !marked && !waited

/** How likely that is, in one sentence; what a check did here already, it may do again. Null: nothing shows it. */
export function dangerWords(view: RemediationView): string | null {
  const [worst] = dangersOf(view)
  if (!worst) return null
  if (view.skips && view.refused === null) return 'Were it not skipped:'
  if (worst.level !== 'expected' && view.before !== null) return AGAIN
  const level = worst.level !== 'expected' && didHere(view) ? 'possible' : worst.level
  return level === 'unlikely' ? null : HEADLINES[level]
}

const AGAIN = 'A health check found machines of this group ill in an update before, and may do so again.'
const HEADLINES: Record<Exclude<Level, 'unlikely'>, string> = {
  expected: 'A health check would have machines remediated in the middle of their update.',
  possible: 'A health check may have machines remediated in the middle of their update.',
  unknown: 'Nobody knows whether a health check would have machines remediated in the middle of their update.',
}

/** What the check does, and when: "deletes a machine whose node’s Ready is False or Unknown for 5 min". */
export function whenWords({ risks, level, external }: CheckView): string {
  const those = risks.filter((risk) => risk.level === level)
  const [first] = those as [Risk, ...Risk[]]
  const alike = those.filter((r) => r.on === first.on && r.type === first.type && r.seconds === first.seconds)
  const statuses = alike.map(({ status }) => status).join(' or ')
  const whose = first.on === 'node' ? 'whose node’s' : 'whose own'
  const lasts = first.seconds === 0 ? 'at all' : `for more than ${duration(first.seconds * 1000)}`
  const what = external ? `hands a machine to its ${external}` : 'deletes a machine'
  return `${what} ${whose} condition ${first.type} is ${statuses} ${lasts}.`
}

const WHERE = { group: 'of this group', cluster: 'of such groups here', guess: 'here' } as const
const updates = (n: number) => `${n} update${n === 1 ? '' : 's'}`

/** What a check did in updates of this group before: that outweighs what was measured. */
export function beforeWords({ found, remediated }: NonNullable<RemediationView['before']>): string {
  const were = found === 1 ? '1 machine was' : `${found} machines were`
  const its = found === 1 ? 'its update' : 'their update'
  const gone = remediated === 0 ? '' : `, and ${remediated === found ? '' : `${remediated} of them `}deleted`
  return `${were} found ill in the middle of ${its}, or right after it${gone}, in changes of this group before this one.`
}

/** What is known of how long updates take, against that; what was deleted in its update was not measured. */
export function measuredWords(check: CheckView, view: RemediationView): string {
  const words = tookWords(check, view)
  return view.before && view.before.remediated > 0 && view.updates.measured > 0
    ? `${words} Those that were deleted are not among them.`
    : words
}

function tookWords({ risks: [risk], level }: CheckView, { updates: known }: RemediationView): string {
  const { measured, from, longest } = known
  const its = risk?.on === 'machine' && risk.type === 'Updating'
  if (risk?.type === 'UpToDate') return 'That is so from the change on, also while it waits.'
  if (measured === 0) return 'How long an update takes here nobody has measured.'
  const most = duration(longest)
  if (level === 'unlikely') return 'No update of this group by its updaters took so long before.'
  if (level === 'unknown')
    return `${updates(measured)} ${WHERE[from]} took at most ${most}, but for those that stood still, or were approved anew, in between; ${its ? 'too few were of this group, by the updaters of this change.' : 'for how long a node is away in one nobody has measured.'}`
  const took = `${risk?.longer ?? 0} of ${updates(measured)} ${WHERE[from]} took longer, up to ${most}`
  return level === 'expected'
    ? `${took}; it is so for the whole of an update.`
    : `${took}; for how long it is so in an update nobody has measured.`
}

/** "m, which is being updated: its node’s condition Ready is Unknown since" when stands behind it. */
export const amissWords = ({ name, updating, on, type, status }: Soon): string =>
  `${name}${updating ? ', which is being updated' : ''}: ${on === 'node' ? 'the condition' : 'its own condition'} ${type}${on === 'node' ? ' of its node' : ''} is ${status} since`

/** Behind when it is found ill. */
export const thenWords = ({ keptHeld }: Pick<RemediationView, 'keptHeld'>): string =>
  keptHeld ? '; it is remediated only once its group is not held.' : ', and may have it remediated.'

const NAMED = 3

/** What a check did in this change already, each in a sentence; of what is deleted, that it is none of the updated any more. */
export function wereWords(were: RemediationView['were']): string[] {
  const all = were.filter(({ remediated }) => remediated)
  // What had not begun is no part of what its rollout lost: the outcome counts it so.
  const early = all.filter(({ waited }) => waited).length
  const gone = all.length - early
  const found = [true, false].flatMap((marked) =>
    WHEN.flatMap((when) => foundWords(were.filter((one) => whenOf(one) === when && one.marked === marked))),
  )
  return [
    ...found,
    ...(gone > 0
      ? [`${gone} of them ${gone === 1 ? 'is' : 'are'} remediated: deleted, and not counted as updated.`]
      : []),
    ...(early > 0 ? [`${early} of them ${early === 1 ? 'is' : 'are'} deleted before that: ${BY_OTHERS}.`] : []),
  ]
}

const WHEN = ['after', 'in the middle of', 'before'] as const
const whenOf = ({ updated, waited }: RemediationView['were'][number]): (typeof WHEN)[number] =>
  updated ? 'after' : waited ? 'before' : 'in the middle of'

function foundWords(were: RemediationView['were']): string[] {
  const [first] = were
  if (!first) return []
  const names = were.map(({ name }) => name)
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  const [are, their] = names.length === 1 ? ['was', 'its'] : ['were', 'their']
  const when = `${whenOf(first)} ${their} update`
  return [
    `${names.slice(0, NAMED).join(', ')}${more} ${are} ${first.marked ? 'marked by somebody to be remediated' : 'found ill'} ${when}.`,
  ]
}

/** Beside a limit of failures: why it counts fewer than were found ill. */
export const uncountedWords = ({ accepted, before }: RemediationView['uncounted']): string[] => [
  ...(accepted > 0 ? [`${accepted} of them failed before somebody accepted that, which does not count any more.`] : []),
  ...(before > 0 ? [`${before} of them came before a policy counted what fails, which does not count.`] : []),
]

/** Of a new machine, where one is made. */
export const joinWords = ({ startupSeconds }: CheckView): string =>
  startupSeconds === null ? '' : `A new machine has ${duration(startupSeconds * 1000)} to join.`

/** Beside what is to be updated in place: what may be deleted all the same. */
export function comingUpWords({ machines: n, checks }: ComingUp): string {
  const times = checks.map(({ name, seconds }) => `${name} (${duration(seconds * 1000)})`).join(', ')
  const [are, one] = n === 1 ? ['machine is still coming up', 'it'] : ['machines are still coming up', 'one of them']
  const its = checks.length === 1 ? 'the start-up time-out of the health check' : 'a start-up time-out of health checks'
  return `${n} ${are}: where ${one} does not join in time, ${its} ${times} may have it deleted, and asks nobody.`
}

/** For how many, and what becomes of that. */
export const skippedWords = (now: number): string =>
  now === 0
    ? 'None is at the moment.'
    : `${now} machine${now === 1 ? ' is' : 's are'} skipped at the moment; each is as it was before once it is updated and Ready, or ${LEFT_AFTER_MIN} min after its update.`

/** Before the name of another change of the group. */
export const formerWords = (machines: number): string =>
  `Remediation of ${machines === 1 ? 'one of its machines is' : `${machines} of its machines is`} skipped still for`
