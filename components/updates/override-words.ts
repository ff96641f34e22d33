import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { didWords, takenAway, type TheirPause } from '@/lib/domain/their-pause'

/** What comes of it that a change does not wait for its time. `theirs`: somebody's own pause, which is none of its times. */
export function overrideWords(due: boolean, theirs: TheirPause | null | undefined, groupKind: string): string {
  if (!due) return 'It takes the place of no approval: as many as its policy asks for are still needed.'
  if (!theirs) return 'It is approved: it goes at once.'
  return groupKind === 'MachineConfigPool'
    ? 'It is approved, and somebody paused the pool themselves: it goes when the pool is resumed.'
    : `It is approved, and ${didWords(theirs)}: it goes when ${takenAway(theirs)}.`
}

/** What goes by it, where nothing else is waited for. Null: something is, or it is not known. */
export function goesByIt({
  outlook,
  dueMode,
  held,
}: Pick<UpdateDetail, 'outlook' | 'dueMode'> & { held: Pick<TheirsOf, 'theirs'> | null }): string | null {
  if (dueMode === null || held?.theirs) return null
  const outcome = dueMode === 'replace' ? outlook.replace : outlook.inPlace
  return outcome && outcome.headline.replaceAll('would be', 'will be')
}
type TheirsOf = NonNullable<UpdateDetail['held']>

/** The same of what somebody paused, is approved, and is held: its calendar may hold it still. */
export function resumedWords(
  change: Parameters<typeof goesByIt>[0] & Pick<UpdateDetail, 'state' | 'stopped'>,
  due: boolean,
): string | null {
  const goes = due && !change.stopped && change.state === 'waiting' ? goesByIt(change) : null
  return goes && `Where nothing of that holds it any more, it goes at once: ${goes[0]!.toLowerCase()}${goes.slice(1)}`
}
