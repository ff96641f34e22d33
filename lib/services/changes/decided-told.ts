import type { ListedDecision } from './change-row'
import { MOVED } from '@/lib/providers/cluster-api'
import { cameLater, snapshotOf } from '../policies/snapshot'
import type { MachineStory } from './machine-story'
import type { SaidOfChange } from './said-of-change'
import { putOffsOf, triedAtOf } from './tries'
import { letOnWords, whyLetGo, type LetOnBy, type Words } from './why-let-go'

export const WAYS: Record<string, string> = {
  'in-place': 'approved in place',
  replace: 'approved replacing',
  reject: 'rejected',
}

export type Decided = ListedDecision

/** Of what stood in the middle. */
const HAD: Partial<Record<LetOnBy['what'], string>> = {
  'went-on': 'let it go on',
  resumed: 'let it go on',
  'next-machine': 'let the next machine go',
  'all-machines': 'let all others go',
}

/** What was approved before, or asks nobody, went when its time came, or when somebody let it go on. */
export function decisionText(decision: Decided, before: Decided | undefined, words: Words, pace = ''): string {
  const { actorName, mode, reason } = decision
  const why = reason ? `: ${reason}` : ''
  const way = mode === 'in-place' ? 'in place' : 'replacing'
  const asksNobody = snapshotOf(decision)?.byItself === true
  if (!cameLater(decision))
    return asksNobody ? `Let go ${way}${why}` : `${actorName} ${WAYS[mode] ?? mode}${pace}${why}`
  const by = whyLetGo(decision, before, words)
  const had = by && HAD[by.what]
  if (had) return `It went on ${way}, as ${asksNobody ? 'before' : 'approved'}: ${by.by} had ${had}.`
  if (by) {
    const given = by.what === 'override' ? `${by.by} let it go outside its times` : letOnWords(by)
    return `It was let go ${way}${asksNobody ? '' : ' as approved'}: ${given}.`
  }
  // Nothing of what waits at its hook goes before its group has the version, whenever its time is.
  const reached = !before?.acceptedAt && words.said.some(({ what }) => what === 'at-hook')
  const then = reached ? 'The upgrade had reached its group' : 'Nothing of its policies kept it any more'
  return `${then}: it was let go ${way}${asksNobody ? ', for its policy asks nobody' : ' as approved'}.`
}

interface Tried {
  text: string
  first: Date
  last: Date
  count: number
}

/** What could not be sent in its time, again and again: once for each reason, for as long as nothing else was decided. */
export function triesOf(decisions: readonly Decided[]): Tried[] {
  const found: Tried[] = []
  let same: Tried | undefined
  for (const decision of decisions) {
    for (const { error, first, last, count } of putOffsOf(decision)) {
      const text = `Its time had come. ${error}`
      if (same?.text === text) Object.assign(same, { last: new Date(last), count: same.count + count })
      else found.push((same = { text, first: new Date(first), last: new Date(last), count }))
    }
    if (!triedAtOf(decision)) same = undefined
  }
  return found
}

/** What is put back is seen a little later than it was written. */
export const heldIn = ({ acceptedAt, voidedAt }: Decided, said: readonly SaidOfChange[]): SaidOfChange | undefined =>
  said.findLast(
    ({ what, at }) => what === 'held' && acceptedAt !== null && voidedAt !== null && at >= acceptedAt && at <= voidedAt,
  )

/** Why it was held, behind "Held": what it stopped by itself for is told where it did. */
export const heldWhy = ({ reason, at }: SaidOfChange, said: readonly SaidOfChange[]): string | null =>
  said.some((one) => one.what === 'stopped' && one.at <= at && one.reason && reason?.endsWith(one.reason))
    ? 'for it had stopped by itself'
    : reason

/** `why`: it was held. `unasked`: nobody is asked any more about what was let go in place. */
export function heldText(
  { recordedAt, voidedAt }: Decided,
  progress: readonly MachineStory[],
  why: string | null,
  unasked: boolean,
): string {
  const began = progress.flatMap(({ startedAt }) =>
    startedAt !== null && voidedAt !== null && startedAt <= voidedAt ? [startedAt] : [],
  )
  // By what was decided before, and held, others may have.
  const none = began.length === 0 ? 'No machine had begun.' : 'No more machines had begun.'
  const rest = began.some((at) => at >= recordedAt) ? restOf(progress, voidedAt!, unasked) : none
  return `${unasked ? 'Stopped' : 'Held'}${why ? `, ${why}` : ''}. ${rest}`
}

/**
 * By what was so then: what became of it since is told where it did. What is not through when it is held goes on, but for what was
 * about to begin in that second.
 */
function restOf(progress: readonly MachineStory[], heldAt: Date, unasked: boolean): string {
  const by = (at: Date | null | undefined): boolean => !!at && at <= heldAt
  const begun = progress.filter(({ startedAt }) => by(startedAt))
  // When it failed is on record only where its policy stops at failures.
  const hadFailed = ({ state, finishedAt, failedAt }: MachineStory) =>
    by(failedAt) || (state === 'failed' && !failedAt && !(finishedAt && finishedAt > heldAt))
  const others = begun.filter((one) => !hadFailed(one))
  // Only that it stays out is on record, not since when.
  const isOut = ({ state, message }: MachineStory) => state === 'updating' && message?.startsWith(MOVED) === true
  const isOpen = (one: MachineStory) =>
    !isOut(one) && one.state !== 'created' && !by(one.finishedAt) && !by(one.throughAt)
  const [failed, out] = [begun.length - others.length, others.filter(isOut).length]
  const open = others.filter(isOpen).length
  const rest = begun.length < progress.length
  if (open === 0 && out > 0 && failed === 0)
    return `${out === 1 ? '1 machine that was chosen stays' : `${out} machines that were chosen stay`} out of service until it goes on, the rest waits.`
  if (open > 0 || out > 0) {
    const [some, were] =
      open === 1
        ? ['1 machine that had begun', 'was left as it was']
        : [`${open} machines that had begun`, 'were left as they were']
    const parts = [
      open > 0 && `${some} ${unasked ? were : 'went on'}`,
      failed > 0 && `${failed}${open > 0 ? '' : ' that had begun'} failed`,
      out > 0 && `${out} ${out === 1 ? 'stays' : 'stay'} out of service until it goes on`,
      rest && 'the rest waited',
    ]
    return `${parts.filter(Boolean).join(', ')}.`
  }
  const coming = others.filter(
    ({ state, readyAt: ready }) => state === 'created' && (ready === null || (ready && ready > heldAt)),
  ).length
  const but =
    coming === 0
      ? ''
      : `, but for ${coming === 1 ? 'a new one that was' : `${coming} new ones that were`} not Ready by then`
  if (failed > 0) {
    const [all, more] = [begun.length, others.length]
    const done =
      more === coming
        ? `${coming} ${coming === 1 ? 'was' : 'were'} new and not Ready by then`
        : `the other${more === 1 ? ' was' : 's were'} finished${but}`
    const those =
      more === 0
        ? `${all === 1 ? 'The machine' : `All ${all} machines`} that had begun failed`
        : `Of ${all} machines that had begun, ${failed} failed, and ${done}`
    return `${those}${rest ? '; the rest waited' : ''}.`
  }
  return `Machines that had begun were finished${but ? `${but}; ` : ', '}the rest waited.`
}
