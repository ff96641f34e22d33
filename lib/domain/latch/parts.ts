import type { JsonObject } from '../json'
import { ABOUT, MANAGED_BY } from './names'
import type { ClusterApiVersion } from './table'

/** `watch`: nothing in the API server; Drydock pauses what it sees changed. */
export type LatchForm = 'policy-v1' | 'policy-v1beta1' | 'webhook' | 'watch'

export interface Governance {
  governs: 'none' | 'all' | 'namespace-label' | 'object-label'
  labelKey?: string | null
  /** null: the label's presence is enough */
  labelValue?: string | null
}

export interface LatchOptions extends Governance {
  form: LatchForm
  /** Username that the API server knows Drydock by. */
  identity: string
  breakGlassGroup: string
  /** Version of Cluster API's kinds whose fields the conditions read; others are converted to it by the API server. */
  apiVersion?: ClusterApiVersion
  webhook?: { url: string; caBundle: string }
  /** What is held by what is installed; absent: Cluster API's kinds alone. */
  holds?: Holds
  /** ValidatingAdmissionPolicy v1 is served (Kubernetes 1.30 and later). */
  guard?: boolean
}

/** How governed pools are held: somebody chooses, since either costs something. */
export type PoolsHeld = 'same-write' | 'pausing'

/** Which APIs with something to hold the cluster serves. */
export interface Holds {
  clusterApi: boolean
  pools: boolean
}

export const ADMISSION = 'admissionregistration.k8s.io'

/** Scope by label, in the shape that bindings and webhooks share. */
export function selectors(governance: Governance): { namespaceSelector: JsonObject; objectSelector: JsonObject } {
  const { governs, labelKey, labelValue } = governance
  if (governs !== 'namespace-label' && governs !== 'object-label') return { namespaceSelector: {}, objectSelector: {} }
  if (!labelKey) throw new Error('A label key is needed to govern by label.')
  const selector: JsonObject =
    labelValue === null || labelValue === undefined
      ? { matchExpressions: [{ key: labelKey, operator: 'Exists' }] }
      : { matchLabels: { [labelKey]: labelValue } }
  return governs === 'namespace-label'
    ? { namespaceSelector: selector, objectSelector: {} }
    : { namespaceSelector: {}, objectSelector: selector }
}

export const metadata = (name: string, about: string): JsonObject => ({
  name,
  labels: { ...MANAGED_BY },
  annotations: { [ABOUT]: about },
})

export const rule = (group: string, version: string, plural: string, operations: string[]): JsonObject => ({
  apiGroups: [group],
  apiVersions: [version],
  operations,
  resources: [plural],
  scope: '*',
})
