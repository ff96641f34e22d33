import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import type { ChangePolicy } from '@/lib/services/changes/policy-of-change'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { didWords, takenAway, type TheirPause } from '@/lib/domain/their-pause'

type By = Pick<ChangePolicy, 'unasked'> & Pick<ListedStanding, 'due'>

/** What comes of it that a change does not wait for its time. `theirs`: somebody's own pause, which is none of its times. */
export function overrideWords(by: By | null, theirs: TheirPause | null | undefined, groupKind: string): string {
  const { due = false, unasked = null } = by ?? {}
  const asks = due ? null : unasked
  if (asks && !asks.goes && !asks.open)
    return `It takes the place of no approval: its policy asks nobody, but it does not go by itself. ${asks.why}`
  if (!due && !asks) return 'It takes the place of no approval: as many as its policy asks for are still needed.'
  const why = due && !unasked?.goes ? 'It is approved' : 'Its policy asks nobody'
  const open = asks?.goes === false
  if (!theirs) return `${why}: it goes ${open ? OPEN : 'at once'}.`
  const so = open ? `, ${OPEN}` : ''
  return groupKind === 'MachineConfigPool'
    ? `${why}, and somebody paused the pool themselves: it goes when the pool is resumed${so}.`
    : `${why}, and ${didWords(theirs)}: it goes when ${takenAway(theirs)}${so}.`
}
const OPEN = 'in place, once its updaters have answered that they cover it'

/** What goes by it, where nothing else is waited for. Null: something is, or it is not known. `unasked`: the way in which it goes by itself. */
export function goesByIt(
  {
    outlook,
    dueMode,
    held,
    oneByOne,
    step,
  }: Pick<UpdateDetail, 'outlook' | 'dueMode' | 'oneByOne' | 'step'> & { held: Pick<TheirsOf, 'theirs'> | null },
  unasked: 'in-place' | 'replace' | null = null,
): string | null {
  const mode = dueMode ?? unasked
  if (mode === null || held?.theirs || step) return null
  if (oneByOne) return ONE_BY_ONE
  const outcome = mode === 'replace' ? outlook.replace : outlook.inPlace
  return outcome && outcome.headline.replaceAll('would be', 'will be')
}
const AFTER_EACH = 'after each it waits until somebody lets the next one go.'
const ONE_BY_ONE = `One machine goes at a time: ${AFTER_EACH}`
const UNHELD = 'Where nothing of that holds it any more, it'
type TheirsOf = NonNullable<UpdateDetail['held']>

/** The same of what somebody paused, is approved, and is held: its calendar may hold it still. */
export function resumedWords(
  change: Parameters<typeof goesByIt>[0] & Pick<UpdateDetail, 'state' | 'stopped'>,
  due: boolean,
): string | null {
  const goes = due && !change.stopped && change.state === 'waiting' ? goesByIt(change) : null
  if (goes === ONE_BY_ONE) return `${UNHELD} goes on, one machine at a time: ${AFTER_EACH}`
  return goes && `${UNHELD} goes at once: ${goes[0]!.toLowerCase()}${goes.slice(1)}`
}
