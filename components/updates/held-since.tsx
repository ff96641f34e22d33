import clsx from 'clsx'
import { RelativeTime } from '@/components/ui'
import { agedWords, orLonger } from '@/lib/domain/holds/age'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

/** Its controllers go on with all but the change. */
export const isUnpaused = (heldBy: UpdateDetail['heldBy']): boolean => heldBy === 'hook' || heldBy === 'gate'

/** Behind its age, which makes none of a pool dangerous: its certificates do. */
const dangerWords = (groupKind: string): string =>
  groupKind === 'MachineConfigPool' ? ', which is dangerous so near the end of a certificate' : ', which is dangerous'

/** In a list, where it is too long. */
export function HeldSince({
  since,
  change,
}: {
  since: string | null | undefined
  change: Pick<UpdateDetail, 'heldBy' | 'groupKind' | 'holdLevel' | 'firstSeen'>
}) {
  const { heldBy, groupKind, holdLevel: level } = change
  if (!since || level === 'fresh') return null
  return (
    <span className={clsx('block text-sm font-medium', level === 'due' ? 'text-needs-ink' : 'text-blocked')}>
      {agedWords(groupKind, isUnpaused(heldBy)).replace(/^It h/, 'H')} for <RelativeTime at={since} bare />
      {orLonger(change)}
      {level === 'dangerous' && dangerWords(groupKind)}
    </span>
  )
}
