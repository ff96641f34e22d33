import clsx from 'clsx'
import { RelativeTime } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

/** Its controllers go on with all but the change. */
export const isUnpaused = (heldBy: UpdateDetail['heldBy']): boolean => heldBy === 'hook' || heldBy === 'gate'

/** In a list, where it is too long. */
export function HeldSince({
  since,
  change: { heldBy, holdLevel: level },
}: {
  since: string | null | undefined
  change: Pick<UpdateDetail, 'heldBy' | 'holdLevel'>
}) {
  if (!since || level === 'fresh') return null
  return (
    <span className={clsx('block text-sm font-medium', level === 'due' ? 'text-needs-ink' : 'text-blocked')}>
      {isUnpaused(heldBy) ? 'has waited' : 'has stood still'} for <RelativeTime at={since} bare />
      {level === 'dangerous' && ', which is dangerous'}
    </span>
  )
}
