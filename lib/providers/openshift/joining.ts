import { withoutSecrets } from '@/lib/domain/changes/secrets'
import type { JoiningSaid } from '@/lib/domain/joining'
import type { KubeObject } from '@/lib/kubernetes/types'
import { items, text } from './loose'

/** Whether its instance is there and no node is: machine.openshift.io calls that Provisioned. */
export const isJoining = (object: KubeObject): boolean =>
  text(object, 'status', 'phase') === 'Provisioned' &&
  !text(object, 'status', 'nodeRef', 'name') &&
  !object.metadata.deletionTimestamp

/**
 * Since when at the latest its instance is there, in ms. status.lastUpdated may move with any write of the status; that the instance
 * exists is said once. `seen`: when it was first seen so; the earliest of all is what holds, but for what lies before it was made.
 */
export function joiningSince(object: KubeObject, seen: number): number {
  const exists = items(object, 'status', 'conditions').find((c) => c.type === 'InstanceExists' && c.status === 'True')
  const told = [text(exists, 'lastTransitionTime'), text(object, 'status', 'lastUpdated')]
  const earliest = Math.min(seen, ...told.map((time) => Date.parse(time ?? '')).filter((at) => !Number.isNaN(at)))
  return Math.max(earliest, Date.parse(object.metadata.creationTimestamp) || 0)
}

/** What it says meanwhile. */
export function joiningSaid(object: KubeObject): JoiningSaid {
  const own = (field: string) => text(object, 'status', 'providerStatus', field)
  const message = text(object, 'status', 'errorMessage')
  return {
    instance:
      own('instanceState') ??
      own('vmState') ??
      object.metadata.annotations?.['machine.openshift.io/instance-state'] ??
      null,
    userData: text(object, 'spec', 'providerSpec', 'value', 'userDataSecret', 'name') ?? null,
    reason: text(object, 'status', 'errorReason') ?? null,
    message: message ? withoutSecrets(message) : null,
  }
}
