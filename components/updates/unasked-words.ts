import { UNASKED_SHORT, type WhyUnasked } from '@/lib/domain/latch/unasked'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { isKnown } from './standing-words'
import { cannotGoAsApproved } from './words'

type Of = Pick<UpdateDetail, 'state' | 'unasked' | 'outlook' | 'outcome' | 'dueMode' | 'machinesList' | 'policy'>

/** What to mend before it goes on in place. */
const MEND: Record<WhyUnasked, string> = {
  off: 'switch the feature gate InPlaceUpdates on again in the managers of Cluster API',
  unknown: 'see to it that Drydock can read the Deployments of the managers of Cluster API',
  gone: 'register the update gate again, on the page of the management cluster',
  narrowed: 'register the update gate again, on the page of the management cluster',
}

export interface Told {
  happened: string
  now: string
  next: string
}

/** Approved in place, which nobody is asked about any more: what happened, what holds now, and what to do. Null: it is not so. */
export function unaskedWords(change: Of): Told | null {
  const { unasked, outlook } = change
  const { whyNotInPlace = 'It cannot be done in place.' } = outlook
  const replaces = !isKnown(change.policy) || change.policy.ways.replace.forbidden === null
  const instead = replaces ? ' Or approve replacing what is left.' : ''
  if (cannotGoAsApproved(change)) {
    const waits = !isKnown(change.policy) || !change.policy.listed.timing.open
    return {
      happened: 'It is approved in place, and cannot be done so now.',
      now: `${whyNotInPlace} The group stays held: an approval in place lets nothing be replaced.`,
      next: `Where it can be done in place again, it goes as approved${waits ? ' when its time has come' : ''}.${replaces ? ' Or approve replacing.' : ''}`,
    }
  }
  if (!unasked || (change.state !== 'waiting' && change.state !== 'rejected')) return null
  return {
    happened: `It was let go in place, and in the middle of it ${UNASKED_SHORT[unasked]}.`,
    now: `Cluster API would have replaced the rest without asking, so Drydock holds the group again. ${machinesWords(change)}`,
    next: outlook.inPlace
      ? 'By now it can be done in place again, as far as Drydock knows: approve it anew.'
      : `To go on in place, ${MEND[unasked]}, and approve it anew.${instead}`,
  }
}

const are = (n: number): string => (n === 1 ? '1 machine is' : `${n} machines are`)

/** Nobody is at work on what had begun, either: the hook that does it is not called. */
function machinesWords({ outcome, machinesList, outlook }: Of): string {
  const done = outcome?.updatedInPlace ?? 0
  const begun = machinesList.filter(({ progress }) => progress?.state === 'updating').length
  const stay = begun === 1 ? 'it stays as it is' : 'they stay as they are'
  const until = outlook.inPlace ? '' : `: ${stay} until Cluster API calls the update gate again`
  return [
    done > 0 ? `${are(done)} updated in place.` : 'No machine was through by then.',
    begun > 0 && `${are(begun)} in the middle of an update${until}.`,
    'Nothing else begins.',
  ]
    .filter(Boolean)
    .join(' ')
}
