import { boundTo, holdFields, releaseFields } from '@/lib/domain/latch/hold'
import { safeText } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { resourcePath } from '@/lib/kubernetes/paths'
import type { KubeObject, Resource } from '@/lib/kubernetes/types'
import type { DecisionCall, DecisionMode } from './change-row'

/** Names the decision that let the object go; changing it also makes Cluster API look at the object at once. */
export const DECISION = 'drydock.dev/decision'

/** The decision that is void although its release was sent, and which attempt found that: written so that the release comes too late. */
export const VOID = 'drydock.dev/void'

const PLURALS: Record<string, string> = {
  MachineDeployment: 'machinedeployments',
  KubeadmControlPlane: 'kubeadmcontrolplanes',
  MachineConfigPool: 'machineconfigpools',
}

/** The resource of a group that decisions are made on. */
export function groupResource(kind: string, apiVersion: string): Resource {
  const plural = PLURALS[kind]
  if (!plural) throw new Error(`Drydock does not decide on ${kind}.`)
  const [group, version] = apiVersion.split('/') as [string, string]
  return { group, version, plural }
}

export interface Decided {
  id: string
  mode: DecisionMode
  actorName: string
  reason: string | null
}

export const REJECTED = 'rejected by '
/** What a rejected group says of itself, for people with kubectl. */
export const rejectedText = ({ actorName, reason }: Decided): string =>
  safeText(`${REJECTED}${actorName}${reason ? `: ${reason}` : ''}`)

/**
 * The one patch of a decision: only Drydock's own pause is taken away, and only from the object that was looked at.
 * `atHook`: the group does not want it yet, and is not paused for it.
 */
export function patchFor(decision: Decided, object: KubeObject, atHook = false): JsonObject {
  const annotations = object.metadata.annotations ?? {}
  const resourceVersion = object.metadata.resourceVersion
  if (decision.mode === 'reject' && atHook)
    return { metadata: { resourceVersion, annotations: { [DECISION]: decision.id } } }
  if (decision.mode === 'reject') {
    const { annotations: hold, spec } = holdFields(object, rejectedText(decision))
    return boundTo(resourceVersion, { annotations: { ...hold, [DECISION]: decision.id }, ...(spec ? { spec } : {}) })
  }
  const { annotations: unheld, spec } = releaseFields(object)
  const overtaken: Record<string, null> = VOID in annotations ? { [VOID]: null } : {}
  const release = { annotations: { ...unheld, ...overtaken, [DECISION]: decision.id } }
  return boundTo(resourceVersion, { ...release, ...(spec ? { spec } : {}) })
}

export function callFor(resource: Resource, object: KubeObject, body: JsonObject): DecisionCall {
  return {
    method: 'PATCH',
    path: resourcePath(resource, object.metadata.namespace, object.metadata.name),
    contentType: 'application/merge-patch+json',
    body,
  }
}
