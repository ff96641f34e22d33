import { outOfServiceWords } from '@/lib/domain/changes/outlook-words'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

type Idle = Pick<UpdateDetail, 'ended' | 'clusterName' | 'firstSeen' | 'decisions' | 'outlook' | 'machinesList'> &
  Partial<Pick<UpdateDetail, 'letGoOutside' | 'beganUnheld' | 'madeUnasked'>>

/**
 * Of what is over, and of which no machine is on record as begun. That none moved is sure only where it was held in the very write that
 * brought it, and never let go: machines are looked at a moment after they begin.
 */
export function idleWords(change: Idle): string {
  const { firstSeen, decisions, outlook, machinesList, clusterName } = change
  const left = change.ended === 'disconnected'
  // Of what is connected it shows now; of what is not, it was said.
  const out = left ? (outlook.before?.outOfService ?? 0) : machinesList.filter((one) => one.outOfService).length
  // Without an answer its release may have been stored.
  const wasLetGo = decisions.some(
    ({ mode, acceptedAt, unsure }) => mode !== 'reject' && (acceptedAt !== null || unsure),
  )
  // By name it is told above.
  const made = change.madeUnasked?.length ?? 0
  if (!firstSeen && !left && out + made === 0 && !wasLetGo && !change.letGoOutside && !change.beganUnheld)
    return 'No machine moved.'
  const other = firstSeen || out + made > 0 ? 'other ' : ''
  return [
    firstSeen && 'What had begun before Drydock saw the change is not counted here.',
    out > 0 &&
      (left
        ? `${out === 1 ? '1 machine was' : `${out} machines were`} chosen, and out of service.`
        : `${outOfServiceWords(out)}.`),
    left
      ? `No ${other}machine is known to have begun before ${clusterName} was disconnected; what moved afterwards nobody here has seen.`
      : `No ${other}machine is known to have begun.`,
  ]
    .filter(Boolean)
    .join(' ')
}
