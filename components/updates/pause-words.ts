import { isGroupPaused } from '@/lib/domain/their-pause'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

type Paused = Pick<UpdateDetail, 'groupKind' | 'policy' | 'unapproved'> & Partial<Pick<UpdateDetail, 'state' | 'held'>>

const RESUMES = 'somebody with the role approver resumes it'
const FOR_GOOD = 'reject it once it is paused.'

/** What a pause does, and how it is until somebody resumes it. */
export function pauseWords({ groupKind, policy, unapproved, state, held: hold }: Paused): {
  does: string
  meanwhile: string
} {
  const isPool = groupKind === 'MachineConfigPool'
  const [what, one] = isPool ? ['pool', 'node'] : ['group', 'machine']
  const begun = isPool ? 'Nodes that have begun go through to the end' : 'Machines that have begun are finished'
  const scales = groupKind === 'MachineDeployment' && 'rules' in policy && policy.rules.scaleWhileHeld.value
  const held = isPool
    ? 'its nodes take up nothing else either, and new ones may join it.'
    : `${scales ? 'it scales, as its policy lets it' : 'it does not scale'}, and its other settings do not reach its machines.`
  const meanwhile = `While it is paused the ${what} is held as before: ${held}`
  const given = 'listed' in policy && policy.listed.due ? ` ${begun}. What it was approved with stands.` : ''
  if (state === 'waiting')
    return {
      does: `It does not go by itself when its windows, freezes and waves let it, before ${RESUMES}.${given} Resumed before its time, it waits for that as now. To end it for good, reject it.`,
      meanwhile,
    }
  const until = isGroupPaused(hold?.theirs)
    ? `Somebody’s own pause keeps the rest now; once that is taken away nothing else begins either, before ${RESUMES}.`
    : `A ${one} may still begin until its ${what} is held, which takes a moment; from then on nothing else begins before ${RESUMES}.`
  return {
    does: unapproved
      ? `Its ${what} is held, although nothing in the cluster holds it now. ${begun}; the rest waits for approvals, once ${RESUMES}. To keep it held for good, ${FOR_GOOD}`
      : `${begun}. ${until} What it was approved with stands. To end it for good, ${FOR_GOOD}`,
    meanwhile,
  }
}

/** Where its reason can be read. What its calendar holds already is not written anew by a pause. */
export const pauseKept = ({ state }: Pick<UpdateDetail, 'state'>): string =>
  state === 'waiting'
    ? 'It is kept in the audit, and stands on the page.'
    : 'It is kept in the audit, and stands on the page and on the object, where whoever may read that reads it.'

/** Not where no node begins any more. Whoever takes somebody’s own pause away would let it go on: below that, too. */
export const isToPause = ({ awaited }: Pick<UpdateDetail, 'awaited'>): boolean => awaited === null

/**
 * Nobody who may take a hold away in the cluster is fought. Where Drydock pauses what it sees, anybody may, and it puts the hold back each
 * time; that it could not is told instead.
 */
export const leavesTaken = ({
  unapproved,
  governance,
  unpaused,
}: Pick<UpdateDetail, 'unapproved' | 'governance' | 'unpaused'>): boolean =>
  unapproved === 'taken' && governance?.latchForm !== 'watch' && unpaused === null
