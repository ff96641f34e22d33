import type { JsonObject } from '../../lib/domain/json'
import { timestamp } from '../controllers/clock'
import type { SandboxObject } from '../types'
import { seeded, type Random } from './random'

/** Objects as they would stand in the store: settled, with status. */
export interface Seed {
  resource: string
  object: SandboxObject
}

interface NewObject {
  apiVersion: string
  kind: string
  name: string
  namespace?: string
  /** Milliseconds ago */
  age: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  owners?: SandboxObject['metadata']['ownerReferences']
  finalizers?: string[]
  deletedAgo?: number
  spec?: JsonObject
  status?: JsonObject
  data?: Record<string, string>
  generation?: number
  /** Who wrote the spec last. */
  manager?: string
}

export class Seeds {
  readonly all: Seed[] = []
  readonly random: Random
  private version = 100

  constructor(
    seed: number,
    readonly now = Date.now(),
  ) {
    this.random = seeded(seed)
  }

  at(ago: number) {
    return timestamp(this.now - ago)
  }

  add(resource: string, given: NewObject): SandboxObject {
    const created = this.at(given.age)
    const object: SandboxObject = {
      apiVersion: given.apiVersion,
      kind: given.kind,
      metadata: {
        name: given.name,
        ...(given.namespace ? { namespace: given.namespace } : {}),
        uid: this.random.uid(),
        resourceVersion: `${this.version++}`,
        generation: given.generation ?? 1,
        creationTimestamp: created,
        ...(given.deletedAgo === undefined ? {} : { deletionTimestamp: this.at(given.deletedAgo) }),
        ...(given.labels ? { labels: given.labels } : {}),
        ...(given.annotations ? { annotations: given.annotations } : {}),
        ...(given.owners ? { ownerReferences: given.owners } : {}),
        ...(given.finalizers ? { finalizers: given.finalizers } : {}),
        ...(given.manager
          ? {
              managedFields: [
                {
                  manager: given.manager,
                  operation: 'Update',
                  apiVersion: given.apiVersion,
                  time: created,
                  fieldsType: 'FieldsV1',
                  fieldsV1: { 'f:spec': {} },
                },
              ],
            }
          : {}),
      },
      ...(given.spec ? { spec: given.spec } : {}),
      ...(given.status ? { status: given.status } : {}),
      ...(given.data ? { data: given.data } : {}),
    }
    this.all.push({ resource, object })
    return object
  }
}

export const ownedBy = (object: SandboxObject, controller = true) => [
  {
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    uid: object.metadata.uid,
    ...(controller ? { controller: true, blockOwnerDeletion: true } : {}),
  },
]
