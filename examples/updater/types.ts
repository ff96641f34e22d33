/** The parts of the hook requests that this updater reads. Everything else passes through untouched. */
export interface HookObject {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec?: Record<string, unknown>
}

export type Objects = Record<string, HookObject | undefined>

export interface HookRequest {
  current?: Objects
  desired?: Objects
}

export interface Patch {
  patchType: 'JSONPatch'
  /** base64 of the JSON text */
  patch: string
}

export const HOOKS = 'hooks.runtime.cluster.x-k8s.io/v1alpha1'
