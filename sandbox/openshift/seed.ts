import { createHash } from 'node:crypto'
import type { JsonObject } from '../../lib/domain/json'
import type { SandboxObject, Store, WriteAs } from '../types'

/** An object as it stands when the sandbox starts, with its history: server-made fields included. */
export interface Seed {
  resource: string
  object: SandboxObject
}

export interface SeedInput {
  apiVersion: string
  kind: string
  name: string
  namespace?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  createdAt: string
  /** Field manager that wrote the image, and when. */
  imageBy?: { manager: string; at: string; fields: JsonObject }
  /** Field manager that wrote other fields, and when. */
  writtenBy?: { manager: string; at: string; fields: JsonObject }
  spec?: JsonObject
  status?: JsonObject
  data?: Record<string, string>
}

const hex = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length)

/** The same object has the same uid at every start, so that a second start finds its rows again. */
export function uidOf(text: string): string {
  const h = hex(text, 32)
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-8${h.slice(17, 20)}-${h.slice(20, 32)}`
}

/** Invented ids of cloud things, stable per name. */
export const amiOf = (release: string, region: string): string => `ami-0${hex(`${release}/${region}`, 16)}`
export const instanceOf = (machine: string): string => `i-0${hex(machine, 16)}`
export const suffixOf = (text: string): string =>
  [...hex(text, 10)]
    .filter((_, i) => i % 2 === 0)
    .map((c) => 'bcdfghjklmnpqrstvwxz'[parseInt(c, 16)])
    .join('')

export function seed(resource: string, cluster: string, input: SeedInput): Seed {
  const { apiVersion, kind, name, namespace, labels, annotations, createdAt, imageBy } = input
  const managedFields = imageBy && [
    {
      manager: imageBy.manager,
      operation: 'Update',
      apiVersion,
      time: imageBy.at,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': { 'f:providerSpec': { 'f:value': imageBy.fields } } } } },
    },
  ]
  const written = input.writtenBy && [
    {
      manager: input.writtenBy.manager,
      operation: 'Update',
      apiVersion,
      time: input.writtenBy.at,
      fieldsType: 'FieldsV1',
      fieldsV1: input.writtenBy.fields,
    },
  ]
  const object = {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace && { namespace }),
      uid: uidOf(`${cluster}/${resource}/${namespace ?? ''}/${name}`),
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: createdAt,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...((managedFields ?? written) && { managedFields: managedFields ?? written }),
    },
    ...(input.spec && { spec: input.spec }),
    ...(input.status && { status: input.status }),
    ...(input.data && { data: input.data }),
  }
  return { resource, object: object as SandboxObject }
}

const INSTALLER: WriteAs = { user: 'system:admin', groups: ['system:masters'], fieldManager: 'cluster-bootstrap' }

/** Through the store's ordinary writes: for a store that is already running. What only a server gives is made anew. */
export async function writeSeeds(store: Store, seeds: readonly Seed[], as = INSTALLER): Promise<void> {
  for (const { resource, object } of seeds) {
    const { name, namespace, labels, annotations } = object.metadata
    const key = namespace ? `${namespace}/${name}` : name
    if (store.get(resource, key)) continue
    const { status, ...rest } = object
    const metadata = {
      name,
      ...(namespace && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    }
    await store.create(resource, { ...rest, metadata } as unknown as JsonObject, as)
    if (status) await store.merge(resource, key, { status }, as, 'status')
  }
}
