import { movesNobody } from '@/lib/domain/changes/moves-nobody'
import { begunOf } from '@/lib/domain/changes/begun-of'
import { NOT_FORETOLD, othersWords } from '@/lib/domain/changes/by-others'
import { madeUnapproved } from '@/lib/domain/latch/gate-alone'
import { inPlaceCount } from '@/lib/domain/changes/machines-of'
import type { Outlook } from '@/lib/domain/changes/types'
import type { HullData } from '@/lib/domain/hull'
import type { VerdictCounts } from '@/lib/domain/verdict'
import type { ChangeDto, ChangeOutcome, DecisionDto } from '@/lib/services/changes/change-row'
import type { Ended } from '@/lib/services/changes/ended'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import { neverOpens } from './timing-words'

/** The decision that it was let go by; null: nobody here let it go. */
export const letGoBy = ({ decision }: Pick<ChangeDto, 'decision'>): DecisionDto | null =>
  decision && decision.mode !== 'reject' && !['failed', 'voided'].includes(decision.state) ? decision : null

/** Held when the last of it had begun: that goes, or went, on to its end by the very decision that is void since. */
export const heldAtEnd = ({ state, decision }: Pick<ChangeDto, 'state' | 'decision'>): boolean =>
  ['running', 'stuck', 'done'].includes(state) && decision?.heldAgain === true

/**
 * Approved in place, and over with fewer updated so than it was to be: others were deleted meanwhile, by their health checks or by
 * somebody. Null: it is as it was approved.
 */
export function shortOf({
  decision,
  outlook,
  outcome,
}: Partial<Pick<ChangeDto, 'decision' | 'outlook' | 'outcome'>>): { updated: number; of: number } | null {
  if (!outcome || !outlook?.inPlace || letGoBy({ decision: decision ?? null })?.mode !== 'in-place') return null
  const of = (outlook.before?.inPlace ?? 0) + inPlaceCount(outlook.inPlace.counts)
  const { updatedInPlace: updated } = outcome
  return updated < of && outcome.deleted > 0 ? { updated, of } : null
}

/** "2 updated in place, 1 created": what is known to have happened; empty while nothing is. `over`: also of how many. */
export function happenedWords(
  change: Pick<ChangeDto, 'outcome'> & Partial<Pick<ChangeDto, 'decision' | 'outlook'>>,
  over = false,
): string {
  const { outcome } = change
  if (!outcome) return ''
  const { updatedInPlace, created, deleted, deleting = 0, failed } = outcome
  const { remediated = 0, byOthers = 0, madeUp = 0, late = 0, begun = 0, unapproved = 0 } = outcome
  const gone = deleted - remediated - byOthers - deleting
  const short = over ? shortOf(change) : null
  return [
    short ? `${short.updated} of ${short.of} updated in place` : updatedInPlace && `${updatedInPlace} updated in place`,
    remediated && remediatedWords(remediated),
    created > madeUp && `${created - madeUp} created`,
    late && `${late} of them not Ready since`,
    gone > 0 && `${gone} deleted`,
    deleting > 0 && `${deleting} being deleted`,
    ...unplannedWords(outcome),
    failed && `${failed} failed`,
    begun > 0 && `${begun} being updated`,
    unapproved > 0 && `${unapproved === 1 ? 'a node' : `${unapproved} nodes`} began without being let go`,
  ]
    .filter(Boolean)
    .join(', ')
}
/** What nobody approved: told apart from what was. */
function unplannedWords({
  byOthers = 0,
  byOthersDeleting = 0,
  madeUp = 0,
  unforetold,
}: Pick<ChangeOutcome, 'byOthers' | 'byOthersDeleting' | 'madeUp' | 'unforetold'>): string[] {
  const gone = byOthers - byOthersDeleting
  const by = othersWords(unforetold)
  const made = unforetold ? `created, ${NOT_FORETOLD}` : `created in ${madeUp === 1 ? 'its' : 'their'} place`
  return [
    ...(gone > 0 ? [`${gone} deleted, ${by}`] : []),
    ...(byOthersDeleting > 0 ? [`${byOthersDeleting} being deleted, ${by}`] : []),
    ...(madeUp > 0 ? [`${madeUp} ${made}`] : []),
  ]
}
/** Who deleted more than was foretold is not always known: what it can be. Null: nothing of that is so. */
export const unforetoldWords = ({ outcome }: Pick<ChangeDto, 'outcome'>): string | null =>
  outcome?.unforetold && outcome.byOthers
    ? 'More was deleted than was foretold. Cluster API deletes first what is ill, makes another one for it, and asks nobody; health checks, scaling down and people delete machines, too. Which of these it was stands beside the machines where it is known.'
    : null
/** What a change that is over came to, with what was made of it before anybody let it go; empty: nothing. */
export function endWords(
  change: Parameters<typeof happenedWords>[0] & { madeUnasked?: readonly string[] },
  over = false,
): string {
  const happened = happenedWords(change, over)
  const made = change.madeUnasked?.length ? madeUnapproved(change.madeUnasked.length) : ''
  return happened && made ? `${happened} (${made})` : happened || made
}
/** What became of what was not done. What was still on its way when its cluster was disconnected is said of then. */
export function overWords(change: Parameters<typeof endWords>[0] & { ended: Ended | null }): string {
  const happened = endWords(change)
  if (change.ended !== 'disconnected') return happened || 'nothing moved'
  if (!happened) return 'nothing was through by then'
  return change.outcome?.deleting ? `${happened} by then` : happened
}

export const remediatedWords = (n: number): string => `${n} deleted by remediation`

/** Over before a machine was touched: its hull and its machines are those of another change. */
export const nothingMoved = (change: Pick<ChangeDto, 'state' | 'outcome'>): boolean =>
  (change.state === 'superseded' || change.state === 'reverted') && happenedWords(change) === ''

/** Of which no hull is drawn: how many there are, or that none waits for it. */
export const machinesWords = (
  change: Parameters<typeof movesNobody>[0] & Pick<ChangeDto, 'machines'>,
): string | number => (movesNobody(change) ? 'none now' : change.machines)

/** The way that was approved; where nobody was asked, the way that Cluster API takes by itself. */
function chosenOutcome({ decision, outlook }: Pick<ChangeDto, 'decision' | 'outlook'>): Outlook['replace'] {
  return letGoBy({ decision })?.mode === 'replace' ? outlook.replace : (outlook.inPlace ?? outlook.replace)
}

/** The way that is spoken of before anybody decided: as policies have it. */
export type Way = ListedStanding['way']

/** What is known of it now: before anybody decided, also that it is not known. */
export function expectedOutcome(
  change: Pick<ChangeDto, 'state' | 'decision' | 'outlook'>,
  way: Way | null = null,
): Outlook['replace'] {
  const before = change.state === 'waiting' || change.state === 'rejected'
  if (before && way === 'replace') return change.outlook.replace
  return (before && change.outlook.unknown) || chosenOutcome(change)
}

/** What is planned, in a sentence: what is approved is going to be, also while it waits for its time. */
export function plannedWords(
  change: Pick<ChangeDto, 'state' | 'groupName'> & Progressing,
  standing: (Pick<ListedStanding, 'way' | 'due'> & Partial<Pick<ListedStanding, 'early' | 'timing'>>) | null,
): string {
  const { headline } = change.state === 'approved' ? chosenOutcome(change) : expectedOutcome(change, standing?.way)
  // No promise of what no window lets go.
  const due = standing?.due && !standing.early && !(standing.timing && neverOpens(standing.timing))
  if (due && begunOf(change) === 'all')
    return `Every node of ${change.groupName} has begun, and goes on to its end: ${progressWords(change)}.`
  return due || change.state === 'approved' ? headline.replaceAll(/would (be|take up)\b/g, 'will $1') : headline
}

/** Counts of what would happen; of those that are what is wanted, the ones that failed on their way there, or are still on it, are none. */
export function stillCounts(counts: VerdictCounts, current: HullData['current']): VerdictCounts {
  const { 'up-to-date': said = 0, ...moving } = counts
  const stay = said - (current?.failed ?? 0) - (current?.updating ?? 0)
  return stay > 0 ? { ...moving, 'up-to-date': stay } : moving
}

export interface MayHaveHull {
  hull?: HullData
}
type Progressing = Pick<ChangeDto, 'decision' | 'outlook' | 'outcome'> &
  Partial<Pick<ChangeDto, 'groupKind'>> &
  MayHaveHull

/** "1 of 2 updated in place, 1 of 1 created, 0 of 1 deleted or being deleted": how far it has come since it was first let go. */
export function progressWords(change: Progressing): string {
  const planned = chosenOutcome(change)
  // After a hold the outlook is what was left then.
  const before = change.outlook.before ?? NOTHING_BEFORE
  const { updatedInPlace, created, deleted, failed, remediated = 0, ...others } = change.outcome ?? NOTHING_YET
  const { byOthers = 0, madeUp = 0 } = others
  const inPlace = before.inPlace + inPlaceCount(planned.counts)
  const nodes = updatedInPlace + leftOf(change)
  const part = (done: number, of: number, words: string) => done + of > 0 && `${done} of ${Math.max(done, of)} ${words}`
  return [
    part(updatedInPlace, Math.max(inPlace, nodes), 'updated in place'),
    part(created - madeUp, before.created + planned.created, 'created'),
    part(deleted - remediated - byOthers, before.deleted + planned.deleted, 'deleted or being deleted'),
    remediated > 0 && remediatedWords(remediated),
    ...unplannedWords(others),
    failed > 0 && `${failed} failed`,
  ]
    .filter(Boolean)
    .join(', ')
}
/**
 * Of a pool, nodes that are there and have it not: also those that joined since it was approved. What counts as failed though it was updated
 * is none of them.
 */
function leftOf({ groupKind, hull }: Progressing): number {
  if (groupKind !== 'MachineConfigPool' || !hull) return 0
  const left = hull.counts.filter(({ mark, done }) => !done && (mark === 'in-place' || mark === 'failed'))
  return left.reduce((sum, { count }) => sum + count, 0) - (hull.current?.failed ?? 0)
}
const NOTHING_BEFORE = { inPlace: 0, created: 0, deleted: 0 }
const NOTHING_YET: ChangeOutcome = { updatedInPlace: 0, created: 0, deleted: 0, failed: 0 }
