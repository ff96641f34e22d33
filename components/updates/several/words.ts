import type { ChipTone } from '@/components/ui'
import { capital } from '@/lib/domain/text'
import { didWords, takenAway } from '@/lib/domain/their-pause'
import type { OneResult } from '@/lib/services/changes/decide-each'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import type { SeveralPreview, SeveralRow } from '@/lib/services/changes/preview-several'
import { closedWords, closesWords, notNowWords, thenWords } from '../timing-words'

export const updates = (n: number): string => `${n} update${n === 1 ? '' : 's'}`
const machines = (n: number): string => `${n} machine${n === 1 ? '' : 's'}`
const are = (n: number): string => (n === 1 ? 'is' : 'are')

export const TITLES: Record<DecisionMode, string> = {
  'in-place': 'Approve in place',
  replace: 'Approve replacing',
  reject: 'Reject',
}

/** "Approve 12 in place": what the button does, and to how many. */
export function verbWords(mode: DecisionMode, n: number): string {
  if (mode === 'reject') return `Reject ${n}`
  return mode === 'in-place' ? `Approve ${n} in place` : `Approve ${n} replacing`
}

/** Approved so, it is not let go at once. */
const waitsYet = ({ left, timing, pausedByOthers }: SeveralRow): boolean =>
  left > 0 || timing?.open === false || pausedByOthers !== null

/** What comes of all of them together, before anything is decided. */
export function inAllWords({ mode, rows, leftOut, deleted }: SeveralPreview): string[] {
  const n = rows.length
  const out = leftOut.length
  const rest = out > 0 ? ` ${updates(out)} ${are(out)} left out, for the reasons below.` : ''
  if (n === 0)
    return [`Nothing can be decided so:${out === 1 ? ' it is left out' : ' all of them are left out'}, as said below.`]
  if (mode === 'reject') return [`${updates(n)} ${n === 1 ? 'stays' : 'stay'} held, marked as rejected.${rest}`]
  const way = mode === 'in-place' ? 'in place' : 'replacing'
  const gone = deleted === 0 ? 'No machine is deleted.' : `${machines(deleted)} ${are(deleted)} deleted in all.`
  const gathering = rows.filter(({ left }) => left > 0).length
  const later = rows.filter(
    ({ left, timing, pausedByOthers }) => (left === 0 && timing?.open === false) || pausedByOthers !== null,
  ).length
  const waits = rows.filter(waitsYet).length
  const risky = rows.filter(({ risks }) => risks.length > 0).length
  return [
    n === waits
      ? `${updates(n)} ${are(n)} approved ${way}; ${n === 1 ? 'it does not move' : 'none of them moves'} yet. ${deleted === 0 ? 'No machine is deleted.' : `${machines(deleted)} will be deleted in all when ${n === 1 ? 'it goes' : 'they go'}.`}${rest}`
      : `${updates(n)} ${are(n)} approved ${way}. ${gone}${rest}`,
    ...(gathering > 0 ? [`${gathering} of them ${gathering === 1 ? 'needs' : 'need'} more approvals than yours.`] : []),
    ...(later > 0 ? [`${later} of them may not move now, as said there.`] : []),
    ...(risky > 0 ? [`Something stands against ${risky} of them: read it before you approve.`] : []),
  ]
}

/** What approving this one means, where it is not let go at once, or not for long: a sentence for each reason. */
export function meansWords({ left, needed, oneMore, timing, early, pausedByOthers }: SeveralRow): string[] {
  const why = oneMore ? ' Who wrote it is not known, so one more is asked for than its policy says.' : ''
  return [
    ...(left > 0
      ? [`With yours, ${left} more of ${needed} approvals ${are(left)} missing: nothing moves yet.${why}`]
      : []),
    ...(left === 0 && needed > 1 ? [`Of ${needed} approvals, yours is the last that is missing.`] : []),
    ...(timing ? (notNowWords(timing, early) ?? []) : []),
    ...(left === 0 && timing?.open && timing.closes !== null ? [closesWords(timing, false)] : []),
    ...(pausedByOthers ? [`${capital(didWords(pausedByOthers))}: it goes when ${takenAway(pausedByOthers)}.`] : []),
  ]
}

/** Who asks for a reason; null: nobody. */
export function reasonWords(rows: readonly SeveralRow[]): string | null {
  const who = [...new Set(rows.flatMap(({ reasonFor }) => reasonFor ?? []))]
  if (who.length === 0) return null
  const [first, ...others] = who
  const asks = others.length > 0 ? `, and ${others.length} more, ask` : ' asks'
  return `${first![0]!.toUpperCase()}${first!.slice(1)}${asks} for one. `
}

export interface Told {
  /** done: approved, or rejected; kept: one of several, or for later. */
  kind: 'done' | 'kept' | Exclude<OneResult['outcome'], 'decided'>
  words: string
  hint: string | null
  answer: string | null
  /** It may go otherwise when it is tried again. */
  again: boolean
}

/** What became of one of them. */
export function resultOf(mode: DecisionMode, { outcome, decision, failure }: OneResult): Told {
  const told = { hint: null, answer: null, again: false }
  if (!decision) {
    const { code, message, hint = null, answer = null } = failure!
    const again = ['unavailable', 'internal', 'refused'].includes(code)
    return { kind: missed(outcome), words: message, hint, answer, again }
  }
  const did = mode === 'reject' ? 'Rejected' : 'Approved'
  const { state, error, answer, missing = 0, timing, early = null, unanswered } = decision
  switch (state) {
    case 'gathering':
      return { ...told, kind: 'kept', words: keptWords(missing, timing, early) }
    case 'failed':
      return { ...told, kind: missed(outcome), words: error ?? 'The cluster refused it.', answer, again: true }
    case 'voided':
      return { ...told, kind: 'refused', words: error ?? 'The change is another one now: nothing was released.' }
    case 'recorded':
    case 'applying':
      return {
        ...told,
        kind: 'done',
        words: unanswered
          ? `${did}; whether the cluster took it is not known yet. Drydock tries it again.`
          : `${did}; it is sent to the cluster in a moment.`,
      }
    default:
      return { ...told, kind: 'done', words: `${did}, and accepted by the cluster.` }
  }
}

const missed = (outcome: OneResult['outcome']) => (outcome === 'decided' ? 'refused' : outcome)

type Kept = NonNullable<OneResult['decision']>

function keptWords(missing: number, timing: Kept['timing'], early: NonNullable<Kept['early']> | null): string {
  if (missing > 0)
    return `Your approval is kept: ${missing} more ${are(missing)} needed, and nothing is sent to the cluster before.`
  if (!timing || timing.open) return 'Your approval is kept.'
  return `Your approval is kept. ${closedWords(timing)} ${thenWords(timing, early, 'It', true)}`
}

/** "3 approved, 1 kept for later, 2 refused, 1 without an answer." */
export function resultsWords(mode: DecisionMode, told: readonly Told[]): string {
  const part = (kind: Told['kind'], words: string) => {
    const n = told.filter((one) => one.kind === kind).length
    return n > 0 ? [`${n} ${words}`] : []
  }
  const done = mode === 'reject' ? 'rejected' : 'approved'
  const missed = [
    ...part('refused', 'refused'),
    ...part('unanswered', 'without an answer'),
    ...part('not-begun', 'not begun'),
  ]
  return `${[...part('done', done), ...part('kept', 'kept for later'), ...missed].join(', ')}.`
}

export const TONES: Record<Told['kind'], ChipTone> = {
  ...{ done: 'good', kept: 'plain', refused: 'bad' },
  ...{ unanswered: 'bad', 'not-begun': 'plain' },
}
export const KINDS = (mode: DecisionMode): Record<Told['kind'], string> => ({
  done: mode === 'reject' ? 'rejected' : 'approved',
  kept: 'kept',
  refused: 'refused',
  unanswered: 'no answer',
  'not-begun': 'not begun',
})
