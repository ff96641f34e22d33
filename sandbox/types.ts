import type { Json, JsonObject } from '../lib/domain/json'

/** A Kubernetes object in the sandbox's store. Never mutate one that the store returned: write through the store. */
export interface SandboxObject {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    uid: string
    resourceVersion: string
    generation: number
    creationTimestamp: string
    deletionTimestamp?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[]
    finalizers?: string[]
    managedFields?: Json[]
  }
  spec?: JsonObject
  status?: JsonObject
  data?: Record<string, string>
}

export interface StoreEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** "machines.cluster.x-k8s.io" */
  resource: string
  /** "namespace/name", or "name" where cluster-scoped */
  key: string
  object: SandboxObject
  old?: SandboxObject
}

/** Who writes: admission sees it, audit logs it. Controllers write as "system:serviceaccount:capi-system:…". */
export interface WriteAs {
  user: string
  groups?: string[]
  fieldManager: string
}

/**
 * The API server's storage, with its semantics: defaulting, validation, generation, managedFields (manager and time),
 * finalizers, and admission (latch, guard, webhooks) on every write, also those of the sandbox's controllers.
 * Writes throw `StatusError` as the API server would answer.
 */
export interface Store {
  get(resource: string, key: string): SandboxObject | undefined
  list(resource: string, filter?: { namespace?: string; labels?: Record<string, string> }): SandboxObject[]
  create(resource: string, object: JsonObject, as: WriteAs): Promise<SandboxObject>
  /** JSON merge patch; `status` patches only status, otherwise status is ignored. No event where nothing changes. */
  merge(resource: string, key: string, patch: JsonObject, as: WriteAs, subresource?: 'status'): Promise<SandboxObject>
  delete(resource: string, key: string, as: WriteAs): Promise<void>
  /** Synchronous, after the write; the callback must not throw. Returns the unsubscribe function. */
  subscribe(listener: (event: StoreEvent) => void): () => void
}

/** Faults that tests switch on; each holds until it is switched off. */
export interface Faults {
  /** Watches answer 410 Gone to the next resume. */
  gone(): void
  /** Connections are reset in mid-answer. */
  reset(on: boolean): void
  /** Every answer waits this long; 0 for none. */
  slow(ms: number): void
  /** Every answer has this code (500, 503, 429); 0 for none. */
  fail(code: number): void
  /** Watch lines and lists are cut in the middle of the JSON. */
  truncate(on: boolean): void
  /** Watches stay open and say nothing, not even bookmarks. */
  silence(on: boolean): void
}

export interface RunningSandbox {
  url: string
  caPem: string
  /** As Drydock's own user ("drydock"), with the rights of deploy/rbac only. */
  kubeconfig: string
  /** As an administrator ("admin", group system:masters): somebody else than Drydock. */
  adminKubeconfig: string
  store: Store
  faults: Faults
  stop(): Promise<void>
}
