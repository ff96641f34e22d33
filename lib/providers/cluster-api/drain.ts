import { drainEnds, drainGivenUp } from '@/lib/domain/drain-time-out'
import type { KubeObject } from '@/lib/kubernetes/types'
import { items, text } from '../fields'
import { timeOutsOf } from './shape'

const EXCLUDE = 'machine.cluster.x-k8s.io/exclude-node-draining'
const DRAINING = 'DrainingNode'
/** What comes after a drain. */
const LATER = [
  ...['WaitingForVolumeDetach', 'WaitingForPreTerminateHook', 'WaitingForInfrastructureDeletion'],
  ...['WaitingForBootstrapDeletion', 'DeletingNode'],
]

/**
 * What there is to say of the time-out of a machine's drain, by the reason of its deletion; null: nothing. Given up it was where the
 * next step began no sooner than it had run out, and nothing says that the drain came to its end, or was not to be made.
 */
export function drainSaid(machine: KubeObject, reason: string): string | null {
  if (reason !== DRAINING && !LATER.includes(reason)) return null
  const { drainSeconds } = timeOutsOf(machine)
  const started = at(machine, 'nodeDrainStartTime')
  if (!drainSeconds || Number.isNaN(started)) return null
  const ends = started + drainSeconds * 1000
  if (reason === DRAINING) return drainEnds(ends)
  const next = at(machine, 'waitForNodeVolumeDetachStartTime')
  const over = next >= ends && machine.metadata.annotations?.[EXCLUDE] === undefined && !isDrained(machine)
  return over ? drainGivenUp(drainSeconds) : null
}

const at = ({ status }: KubeObject, field: string): number => Date.parse(text(status, 'deletion', field) ?? '')

/** Only conditions of the old style tell whether it came to its end. */
function isDrained({ apiVersion, status }: KubeObject): boolean {
  const path = apiVersion.endsWith('/v1beta1') ? ['conditions'] : ['deprecated', 'v1beta1', 'conditions']
  const drained = items(status, ...path).find((one) => text(one, 'type') === 'DrainingSucceeded')
  return drained !== undefined && text(drained, 'status') === 'True'
}
