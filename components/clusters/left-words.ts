import { count } from '@/components/ui'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { ClusterSummary } from '@/lib/services/clusters/list-clusters'
import { GOVERNS } from './words'

type Left = Pick<ClusterDetail, 'latch' | 'gate' | 'discovery' | 'leftHeld' | 'leftGoing' | 'leftMoving'> & {
  policy: Pick<ClusterDetail['policy'], 'governs' | 'breakGlass'>
}

/** What is left in a cluster that was disconnected, and what has ended: from when it was left, for nobody asks it any more. */
export function leftWords({ latch, gate, discovery, policy, leftHeld, leftGoing, leftMoving }: Left): string[] {
  const over = 'Drydock watches nothing there, governs nothing, and nobody can approve or let go anything from here.'
  if (discovery && !discovery.clusterApi) return [over]
  const registered = gate.state === 'registered'
  return [
    over,
    latchLeft(latch.form, policy),
    ...(leftHeld.count > 0 ? [heldWords(leftHeld)] : []),
    ...(leftGoing.count > 0
      ? [`Under way when it was left, as Drydock saw it last, and stopped by nobody here: ${namesOf(leftGoing)}.`]
      : []),
    ...(leftMoving.count > 0 ? [`Moves by the disconnect, as was agreed: ${namesOf(leftMoving)}.`] : []),
    registered
      ? 'It was not asked when it was disconnected: its registration may still ask a gate that no longer knows it, and holds what it is asked about.'
      : 'The update gate is not registered there: Cluster API replaces machines without asking.',
  ]
}

function heldWords({ count, names }: Left['leftHeld']): string {
  return `Held when it was left, and nobody here decides on ${count === 1 ? 'it' : 'them'}: ${namesOf({ count, names })}.`
}

const namesOf = ({ count, names }: Left['leftHeld']): string =>
  `${names.join(', ')}${count > names.length ? ` and ${count - names.length} more` : ''}`

/** The same in a few words, for the list. */
export function leftShort({ latchForm, leftHeld }: Pick<ClusterSummary, 'latchForm' | 'leftHeld'>): string {
  const governs = ['none', 'watch'].includes(latchForm) ? 'nothing is governed' : 'nobody decides; its latch was left'
  return leftHeld > 0 ? `${governs}; ${count(leftHeld, 'group')} left held` : governs
}

function latchLeft(form: string, { governs, breakGlass }: Left['policy']): string {
  if (form === 'watch')
    return 'Drydock watched there, for it could carry no latch: what was held then stays paused, and anybody who may edit a group can take that away. Nothing new is held.'
  if (form === 'none') return 'No latch was installed there from here: nothing new is held.'
  const held = `what is held stays held, and only the group ${breakGlass} can release it there.`
  if (governs === 'none') return `The latch was left there, for no group: ${held}`
  const whom = GOVERNS[governs] ?? governs
  if (form === 'webhook')
    return `The webhook of the latch was left there, for ${whom}: while this Drydock’s gate answers, new changes of governed groups are held by it still, and nobody approves them here; while it does not, such writes are refused. Also, ${held}`
  return `The latch was left there, for ${whom}: new changes are held by it still; ${held}`
}
