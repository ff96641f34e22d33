import type { JsonObject } from '../../../lib/domain/json'
import type { SandboxObject, Store, WriteAs } from '../../types'
import { apiVersionOf, type Registry, type Resource } from '../resources'
import { isObject } from '../schema'
import { alreadyExists, badRequest, conflict, forbidden, invalid, notFound } from '../status'
import { wholeSchema } from './fields'
import { afterUpdate, apply, entriesOf, type ManagerEntry, type Writer } from './managers'
import { created, now, updated, type Metadata } from './metadata'
import { keyOf, type Objectbase } from './objects'
import { check, checkReadable, checkWebhook, decode, type FieldValidation, type Form } from './prepare'
import { mergePatch, same } from './values'

export interface AdmissionRequest {
  resource: Resource
  operation: 'CREATE' | 'UPDATE' | 'DELETE'
  name: string
  namespace?: string
  object?: SandboxObject
  old?: SandboxObject
  as: WriteAs
  subresource?: string
  dryRun: boolean
  warnings: string[]
}

export interface Admission {
  /** The object as policies and webhooks changed it. */
  mutate(request: AdmissionRequest): Promise<JsonObject>
  validate(request: AdmissionRequest): Promise<void>
}

export interface WriteRequest {
  as: WriteAs
  form: Form
  dryRun?: boolean
  validation?: FieldValidation
  subresource?: 'status'
  warnings?: string[]
  /** Server-side apply. */
  force?: boolean
}

const json = (object: SandboxObject) => object as unknown as JsonObject

/** Every write goes through here: decoding, admission, validation, versions, events. */
export class Writes {
  constructor(
    readonly registry: Registry,
    readonly base: Objectbase,
    private readonly admission: Admission,
  ) {}

  async create(resource: Resource, given: JsonObject, request: WriteRequest, applied?: ManagerEntry[]) {
    const metadata = isObject(given.metadata) ? given.metadata : {}
    const namespace = resource.namespaced ? String(metadata.namespace ?? '') : undefined
    if (namespace !== undefined) this.checkNamespace(resource, namespace, String(metadata.name ?? ''))
    const decoded = this.decode(resource, given, request)
    if (resource.status) delete decoded.status
    let object = {
      ...decoded,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: created(metadata, namespace, !resource.builtIn || resource.generation === true),
    } as unknown as SandboxObject
    object = await this.admit(resource, object, undefined, request, metadata)
    if (this.base.of(this.nameOf(resource)).get(keyOf(object))) throw alreadyExists(resource, object.metadata.name)
    const schema = wholeSchema(resource.schema)
    // What is only filled in for an apply is nobody's.
    const from = applied && { ...decoded, metadata: given.metadata ?? {} }
    const entries = afterUpdate(
      applied ?? [],
      from,
      json(object),
      schema,
      this.updater(resource, request),
      !resource.builtIn,
    )
    return this.commit(resource, object, undefined, entries, request)
  }

  /** `change` may run several times: an update in between makes the server begin again, unless a version was demanded. */
  async update(
    resource: Resource,
    key: string,
    change: (old: SandboxObject) => { given: JsonObject; entries?: ManagerEntry[] },
    request: WriteRequest,
  ): Promise<SandboxObject> {
    const objects = this.base.of(this.nameOf(resource))
    const name = key.slice(key.indexOf('/') + 1)
    for (let attempt = 0; ; attempt++) {
      const old = objects.get(key)
      if (!old) throw notFound(resource, name)
      const { given, entries } = change(old)
      const metadata = (isObject(given.metadata) ? given.metadata : {}) as JsonObject
      const next = this.next(resource, old, given, request)
      const demanded = metadata.resourceVersion
      if (demanded && demanded !== old.metadata.resourceVersion) throw conflict(resource, name)
      if (!demanded && !resource.builtIn) throw unversioned(resource, name)
      if (metadata.name !== undefined && metadata.name !== name)
        throw badRequest(
          `the name of the object (${String(metadata.name)}) does not match the name on the URL (${name})`,
        )
      const object = await this.admit(resource, next, old, request, metadata)
      if (objects.get(key) !== old) {
        if (attempt >= 5) throw conflict(resource, name)
        continue
      }
      return this.finish(resource, object, old, given, entries, request)
    }
  }

  private next(resource: Resource, old: SandboxObject, given: JsonObject, request: WriteRequest): SandboxObject {
    if (request.subresource === 'status') {
      const { status } = this.decode(resource, given, request)
      return { ...old, status } as unknown as SandboxObject
    }
    const decoded = this.decode(resource, given, request)
    const metadata = updated(old.metadata as Metadata, (given.metadata ?? {}) as JsonObject)
    const object = { ...decoded, apiVersion: old.apiVersion, kind: old.kind, metadata } as unknown as SandboxObject
    if (!resource.status) return object
    const { status: _ignored, ...rest } = object
    return old.status === undefined ? rest : { ...rest, status: old.status }
  }

  private finish(
    resource: Resource,
    object: SandboxObject,
    old: SandboxObject,
    given: JsonObject,
    applied: ManagerEntry[] | undefined,
    request: WriteRequest,
  ): SandboxObject {
    const before = applied ?? entriesOf(json(old))
    // Whose fields are whose cannot be told of a status that is none, though it is dropped: that is forgotten then.
    if (resource.status && !request.subresource && given.status !== undefined && !isObject(given.status))
      return this.commit(resource, object, old, [], request)
    const unchanged = same(contentOf(object), contentOf(old))
    if (unchanged && (!applied || same(withoutTimes(applied), withoutTimes(entriesOf(json(old)))))) return old
    // What admission adds to an apply is an update by the same manager.
    const from = applied ? this.decode(resource, given, { ...request, validation: 'Ignore' }) : json(old)
    const schema = wholeSchema(resource.schema)
    const entries = unchanged
      ? before
      : afterUpdate(before, from, json(object), schema, this.updater(resource, request), !resource.builtIn)
    return this.commit(resource, object, old, entries, request)
  }

  async apply(
    resource: Resource,
    key: string,
    given: JsonObject,
    request: WriteRequest,
    mayCreate: () => void = () => {},
  ): Promise<{ object: SandboxObject; created: boolean }> {
    const schema = wholeSchema(resource.schema)
    this.decode(resource, given, request)
    const writer: Writer = { ...this.updater(resource, request), operation: 'Apply' }
    if (!this.base.of(this.nameOf(resource)).get(key)) {
      if (request.subresource) throw notFound(resource, key.slice(key.indexOf('/') + 1))
      mayCreate()
      const first = apply(undefined, given, schema, writer, true)
      return { object: await this.create(resource, first.object, request, first.entries), created: true }
    }
    const change = (old: SandboxObject) => {
      const result = apply(json(old), given, schema, writer, request.force === true)
      return { given: result.object, entries: result.entries }
    }
    return { object: await this.update(resource, key, change, request), created: false }
  }

  async delete(
    resource: Resource,
    key: string,
    request: WriteRequest,
    options: { uid?: string; resourceVersion?: string; propagation?: string } = {},
  ) {
    const objects = this.base.of(this.nameOf(resource))
    const old = objects.get(key)
    const name = key.slice(key.indexOf('/') + 1)
    if (!old) throw notFound(resource, name)
    const precondition = (what: string, wanted: string | undefined, is: string) => {
      if (wanted === undefined || wanted === is) return
      throw conflict(
        resource,
        name,
        `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${is}`,
      )
    }
    precondition('UID', options.uid, old.metadata.uid)
    precondition('ResourceVersion', options.resourceVersion, old.metadata.resourceVersion)
    await this.admission.validate({ ...this.request(resource, request, old), operation: 'DELETE', old })
    const current = objects.get(key)
    if (!current) throw notFound(resource, name)
    const finalizers = [
      ...(current.metadata.finalizers ?? []),
      ...(options.propagation === 'Foreground' ? ['foregroundDeletion'] : []),
    ]
    const terminating = resource.group === '' && resource.plural === 'namespaces'
    if (finalizers.length === 0 && !terminating) {
      if (!request.dryRun) this.remove(resource, current)
      return { object: current, gone: true }
    }
    if (current.metadata.deletionTimestamp) return { object: current, gone: false }
    const object = {
      ...current,
      metadata: {
        ...current.metadata,
        ...(finalizers.length ? { finalizers } : {}),
        deletionTimestamp: now(),
        deletionGracePeriodSeconds: 0,
        ...(current.metadata.generation !== undefined ? { generation: current.metadata.generation + 1 } : {}),
      },
      ...(terminating ? { status: { ...current.status, phase: 'Terminating' } } : {}),
    } as SandboxObject
    return { object: this.store(resource, object, current, request), gone: false }
  }

  private async admit(
    resource: Resource,
    object: SandboxObject,
    old: SandboxObject | undefined,
    request: WriteRequest,
    given: JsonObject,
  ) {
    if (!request.subresource) checkReadable(resource, object)
    let admitted = resource.mutate && !request.subresource ? resource.mutate(object, old) : object
    const operation = old ? 'UPDATE' : 'CREATE'
    const base = this.request(resource, request, object)
    const mutated = await this.admission.mutate({ ...base, operation, object: admitted, old })
    if (mutated !== json(admitted)) {
      const metadata = (mutated.metadata ?? {}) as JsonObject
      const decoded = decode(resource, mutated, 'body', 'Ignore', [])
      admitted = { ...decoded, metadata: updated(admitted.metadata as Metadata, metadata) } as unknown as SandboxObject
    }
    check(resource, admitted, old, given)
    if (!request.subresource)
      checkWebhook(resource, admitted, old, (name, namespace) => this.base.of(name).list(namespace))
    await this.admission.validate({ ...base, operation, object: admitted, old })
    return admitted
  }

  private request(resource: Resource, request: WriteRequest, object: SandboxObject) {
    const { name, namespace } = object.metadata
    const { as, subresource, dryRun = false, warnings = [] } = request
    return { resource, name, namespace, as, subresource, dryRun, warnings }
  }

  private commit(
    resource: Resource,
    object: SandboxObject,
    old: SandboxObject | undefined,
    entries: ManagerEntry[],
    request: WriteRequest,
  ) {
    const metadata = {
      ...object.metadata,
      managedFields: entries as unknown as SandboxObject['metadata']['managedFields'],
    }
    if (old?.metadata.generation !== undefined && !same(specOf(object), specOf(old)))
      metadata.generation = old.metadata.generation + 1
    const next = { ...object, metadata }
    if (old && metadata.deletionTimestamp && !metadata.finalizers?.length && !isNamespace(resource)) {
      if (!request.dryRun) this.remove(resource, next)
      return next
    }
    return this.store(resource, next, old, request)
  }

  private store(resource: Resource, object: SandboxObject, old: SandboxObject | undefined, request: WriteRequest) {
    if (request.dryRun) return old ? object : unstored(object)
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.base.version) } }
    this.base.commit({
      type: old ? 'MODIFIED' : 'ADDED',
      resource: this.nameOf(resource),
      key: keyOf(object),
      object: versioned,
      old,
    })
    return versioned
  }

  private remove(resource: Resource, object: SandboxObject) {
    const old = this.base.of(this.nameOf(resource)).get(keyOf(object))
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.base.version) } }
    this.base.commit({ type: 'DELETED', resource: this.nameOf(resource), key: keyOf(object), object: versioned, old })
  }

  private decode(resource: Resource, given: JsonObject, request: WriteRequest): JsonObject {
    return { ...decode(resource, given, request.form, request.validation ?? 'Ignore', request.warnings ?? []) }
  }

  private updater(resource: Resource, request: WriteRequest): Writer {
    return {
      manager: request.as.fieldManager,
      operation: 'Update',
      apiVersion: apiVersionOf(resource),
      time: now(),
      ...(request.subresource ? { subresource: request.subresource } : {}),
    }
  }

  private checkNamespace(resource: Resource, namespace: string, name: string) {
    const found = this.base.of('namespaces').get(namespace)
    if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace)
    if (!found.metadata.deletionTimestamp) return
    throw forbidden(
      resource,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    )
  }

  private nameOf = (resource: Resource) => (resource.group ? `${resource.plural}.${resource.group}` : resource.plural)
}

/** Custom resources are never written over without a word on what they replace. */
const unversioned = (resource: Resource, name: string) =>
  invalid({ ...resource, kind: resource.plural }, name, [
    {
      reason: 'FieldValueInvalid',
      field: 'metadata.resourceVersion',
      message: 'Invalid value: 0: must be specified for an update',
    },
  ])

function unstored(object: SandboxObject): SandboxObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata } as SandboxObject
}

const isNamespace = (resource: Resource) => resource.group === '' && resource.plural === 'namespaces'

const specOf = (object: SandboxObject) => ({ ...object, metadata: undefined, status: undefined })

const contentOf = (object: SandboxObject) => ({
  ...object,
  metadata: { ...object.metadata, managedFields: undefined, resourceVersion: undefined, generation: undefined },
})

const withoutTimes = (entries: ManagerEntry[]) => entries.map((entry) => ({ ...entry, time: undefined }))

export function createStore(writes: Writes): Store {
  const { base, registry } = writes
  const request = (as: WriteAs, subresource?: 'status'): WriteRequest => ({
    as,
    form: 'patch',
    validation: 'Strict',
    subresource,
  })
  return {
    get: (resource, key) => base.of(resource).get(key),
    list: (resource, filter) => {
      const found = base.of(resource).list(filter?.namespace)
      const labels = Object.entries(filter?.labels ?? {})
      if (!labels.length) return found.slice()
      return found.filter((object) => labels.every(([key, value]) => object.metadata.labels?.[key] === value))
    },
    create: (resource, object, as) => writes.create(registry.get(resource), object, { ...request(as), form: 'body' }),
    merge: (resource, key, patch, as, subresource) =>
      writes.update(
        registry.get(resource),
        key,
        (old) => ({ given: mergePatch(json(old), patch) as JsonObject }),
        request(as, subresource),
      ),
    delete: async (resource, key, as) => {
      await writes.delete(registry.get(resource), key, request(as))
    },
    subscribe: (listener) => base.listen(listener),
  }
}
