import type { Capabilities } from '@/lib/domain/capabilities'
import type { ChipTone } from '@/components/ui'

/** State of a connection in a word, with the tone of its chip. */
export const STATES: Record<string, { word: string; tone: ChipTone }> = {
  pending: { word: 'connecting', tone: 'plain' },
  connected: { word: 'connected', tone: 'good' },
  unreachable: { word: 'unreachable', tone: 'bad' },
  unauthorised: { word: 'credentials refused', tone: 'bad' },
  disconnected: { word: 'disconnected', tone: 'plain' },
}

export const GOVERNS: Record<string, string> = {
  none: 'no group',
  all: 'every group',
  'namespace-label': 'groups in labelled namespaces',
  'object-label': 'labelled groups',
}

/** "Kubernetes v1.36.3, Cluster API v1.14.0 (v1beta2), OpenShift 4.22.4". */
export function versions(found: Capabilities | null): string {
  if (!found) return 'not asked yet'
  return [
    `Kubernetes ${found.kubernetes}`,
    found.clusterApi &&
      `Cluster API ${found.clusterApi.version ?? ''} (${found.clusterApi.apiVersion})`.replace('  ', ' '),
    found.openshift && `OpenShift ${found.openshift.version ?? ''}`.trim(),
  ]
    .filter(Boolean)
    .join(', ')
}

/** What follows from the feature gates, in a sentence. */
export function inPlaceWords(found: Capabilities): string {
  const { inPlaceUpdates, runtimeSdk } = found.gates
  if (!found.clusterApi) return 'There is no Cluster API here.'
  if (inPlaceUpdates.state === 'off' || runtimeSdk.state === 'off')
    return 'In-place updates are off here: every change is a replacement. The latch holds all the same.'
  if (inPlaceUpdates.state === 'on' && runtimeSdk.state === 'on')
    return 'In-place updates are on: the update gate decides between in place and replacing.'
  return 'Whether in-place updates are on is not known for certain. With the gate registered, its first question tells.'
}

/** What the latch can be on this API server. */
export function latchWords(found: Capabilities): string {
  const guard = found.latch.guard ? '' : ' It cannot be guarded on this server: an administrator could release by hand.'
  if (found.latch.policy)
    return `The latch can be admission policy (${found.latch.policy}): it holds even while Drydock is down.${guard}`
  if (found.latch.webhook)
    return `This API server has no MutatingAdmissionPolicy: the latch is a webhook. While Drydock is down, rollout-causing writes are refused.${guard}`
  return 'This API server is too old for the latch: Drydock shows changes here, but cannot hold them.'
}
