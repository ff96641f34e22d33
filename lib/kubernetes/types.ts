import type { Json, JsonObject } from '@/lib/domain/json'
import { maskedWords } from '@/lib/domain/changes/secret-text'
import { storable } from '@/lib/domain/text'
import { sameClass } from '@/lib/same-class'

export interface ObjectMeta {
  name: string
  namespace?: string
  uid: string
  resourceVersion: string
  generation?: number
  creationTimestamp: string
  deletionTimestamp?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[]
  managedFields?: { manager?: string; operation?: string; time?: string; subresource?: string; fieldsV1?: JsonObject }[]
  finalizers?: string[]
}

/** Any object as the API server returns it; providers turn it into domain types. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec?: JsonObject
  status?: JsonObject
  data?: Record<string, string>
  /** Of a MachineConfigPool, put beside it: the OS image that is built for it. Null: none is; undefined: not known. */
  built?: BuiltImage | null
}

/** Null: one is to be built, and is not yet. */
export interface BuiltImage {
  image: string | null
}

/** A resource as paths name it. `group` is '' for core. */
export interface Resource {
  group: string
  version: string
  plural: string
}

export interface KubeCredentials {
  server: string
  caPem?: string
  token?: string
  certPem?: string
  keyPem?: string
}

export interface Status {
  kind: 'Status'
  code: number
  reason?: string
  message?: string
  details?: { name?: string; kind?: string; causes?: { reason?: string; field?: string; message?: string }[] }
}

/** The API server refused; `status` is its own answer, shown under our sentence. Credentials in what it quotes are masked. */
export class KubeError extends Error {
  readonly status: Status
  constructor(
    readonly code: number,
    status: Status,
    readonly call: string,
  ) {
    const masked = withoutCredentials(status)
    super(storable(masked.message ?? `HTTP ${code}`))
    this.name = 'KubeError'
    this.status = masked
  }
}

/** A cause says of a field what is wrong with it, so it is read together with that field. */
function withoutCredentials(status: Status): Status {
  const { message, details } = status
  const causes = details?.causes?.map((cause) => {
    if (!cause.message) return cause
    const field = cause.field ? `${cause.field}: ` : ''
    const told = maskedWords(field + cause.message)
    return { ...cause, message: told.startsWith(field) ? told.slice(field.length) : told }
  })
  return {
    ...status,
    ...(message === undefined ? {} : { message: maskedWords(message) }),
    ...(details && causes ? { details: { ...details, causes } } : {}),
  }
}

/** No answer at all: refused connection, time-out, TLS. Nothing is known about what the server did. */
export class KubeUnreachable extends Error {
  constructor(
    message: string,
    readonly call: string,
    /** There was an answer, and it was not trusted: a certificate that does not fit. */
    readonly untrusted = false,
    /** By Drydock itself, and for good: this client never answers again. */
    readonly closed = false,
  ) {
    super(message)
    this.name = 'KubeUnreachable'
  }
}

sameClass(KubeError, 'KubeError')
sameClass(KubeUnreachable, 'KubeUnreachable')

export interface CallOptions {
  signal?: AbortSignal
  timeoutMs?: number
  /** Impersonate-User and -Group, where the cluster allows it. */
  impersonate?: { user: string; groups: string[] }
}

export interface WriteOptions extends CallOptions {
  dryRun?: boolean
  /** Of a dry run: in whose name it is tried. What is truly written is written as drydock, or as its `author`. */
  fieldManager?: string
  /** Whose wish it is that is written, of Drydock's people: named as field manager, as where they write it by themselves. */
  author?: string
  /** Of a dry run of an apply: whether it takes fields from others, as ours do; false: it is refused (409) where it would. */
  force?: boolean
  /** Of a delete: only while the object is stored as this one; else refused (409). */
  resourceVersion?: string
}

export interface ListOptions extends CallOptions {
  /** At most 500. */
  limit?: number
  continue?: string
  resourceVersion?: string
  resourceVersionMatch?: 'NotOlderThan' | 'Exact'
  labelSelector?: string
  fieldSelector?: string
}

export interface PageOptions extends ListOptions {
  /** Without what metadata.managedFields holds, which is more than half of a Machine. */
  dropManagedFields?: boolean
}

export interface WatchOptions {
  resourceVersion: string
  labelSelector?: string
  fieldSelector?: string
  dropManagedFields?: boolean
  signal: AbortSignal
}

export interface ListPage {
  items: KubeObject[]
  resourceVersion: string
  continue?: string
}

/** A page whose items are made while they are read, once. */
export interface Page extends Omit<ListPage, 'items'> {
  items: Iterable<KubeObject>
}

export type WatchEvent =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject }
  | { type: 'BOOKMARK'; object: { metadata: { resourceVersion: string } } }
  | { type: 'ERROR'; object: Status }

/** One management cluster's API server. Every write carries a fieldManager (drydock) and fieldValidation=Strict. */
export interface KubeClient {
  readonly server: string
  get(resource: Resource, name: string, namespace?: string, options?: CallOptions): Promise<KubeObject>
  list(resource: Resource, namespace: string | undefined, options?: ListOptions): Promise<ListPage>
  /** Every page from where the options say, the next one fetched while the one before is read. */
  pages(resource: Resource, namespace: string | undefined, options?: PageOptions): AsyncIterable<Page>
  create(resource: Resource, object: JsonObject, namespace?: string, options?: WriteOptions): Promise<KubeObject>
  /** `merge`: JSON merge patch; `json`: JSON patch; `apply`: server-side apply (force). */
  patch(
    resource: Resource,
    name: string,
    namespace: string | undefined,
    type: 'merge' | 'json' | 'apply',
    body: Json,
    options?: WriteOptions & { subresource?: string },
  ): Promise<KubeObject>
  delete(resource: Resource, name: string, namespace?: string, options?: WriteOptions): Promise<void>
  watch(resource: Resource, namespace: string | undefined, options: WatchOptions): AsyncIterable<WatchEvent>
  /** Raw GET for discovery: "/version", "/apis", "/openapi/v3/…". */
  raw(path: string, options?: CallOptions): Promise<Json>
  /** POST of a review (SelfSubjectAccessReview, SelfSubjectReview). */
  review(resource: Resource, body: JsonObject, options?: CallOptions): Promise<KubeObject>
  close(): Promise<void>
}
