import type { Json, JsonObject } from '../../../lib/domain/json'
import type { Schema } from '../schema'
import { StatusError, type Cause } from '../status'
import { changed, common, ownable, pathText, removed, subtract, union, type Fields } from './fields'
import { pruned, structuredMerge } from './merge'
import { same } from './values'

export interface ManagerEntry {
  manager: string
  operation: 'Update' | 'Apply'
  apiVersion: string
  time: string
  fieldsType: 'FieldsV1'
  fieldsV1: Fields
  subresource?: string
}

export interface Writer {
  manager: string
  operation: 'Update' | 'Apply'
  apiVersion: string
  subresource?: string
  time: string
}

export const entriesOf = (object: JsonObject | undefined) =>
  (((object?.metadata as JsonObject | undefined)?.managedFields ?? []) as unknown as ManagerEntry[]).slice()

const isOf = (entry: ManagerEntry, writer: Writer) =>
  entry.manager === writer.manager &&
  entry.operation === writer.operation &&
  entry.subresource === writer.subresource &&
  (writer.operation === 'Apply' || entry.apiVersion === writer.apiVersion)

const fresh = (writer: Writer, fieldsV1: Fields): ManagerEntry => ({
  manager: writer.manager,
  operation: writer.operation,
  apiVersion: writer.apiVersion,
  time: writer.time,
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...(writer.subresource ? { subresource: writer.subresource } : {}),
})

/** What an update leaves: changed fields belong to the writer alone, removed ones to nobody. `members`: see `changed`. */
export function afterUpdate(
  entries: ManagerEntry[],
  before: JsonObject | undefined,
  after: JsonObject,
  schema: Schema,
  writer: Writer,
  members = false,
): ManagerEntry[] {
  const was = before ? ownable(before) : undefined
  const now = ownable(after)
  const set = changed({ metadata: {}, ...was }, now, schema, members)
  const gone = was ? removed(was, now, schema) : null
  if (!set && !gone) return entries
  const taken = union(set ?? {}, gone ?? {})
  const rest = entries.flatMap((entry) => {
    if (isOf(entry, writer)) return [entry]
    const fieldsV1 = subtract(entry.fieldsV1, taken)
    return fieldsV1 === null ? [] : [fieldsV1 === entry.fieldsV1 ? entry : { ...entry, fieldsV1 }]
  })
  const own = rest.find((entry) => isOf(entry, writer))
  const kept = own ? ((gone ? subtract(own.fieldsV1, gone) : own.fieldsV1) ?? {}) : {}
  const fields = union(kept, set ?? {})
  const others = rest.filter((entry) => entry !== own)
  if (Object.keys(fields).length === 0) return others
  // Who only takes fields away has written when it was.
  return [...others, set || !own ? fresh(writer, fields) : { ...own, fieldsV1: fields }]
}

export interface Applied {
  object: JsonObject
  entries: ManagerEntry[]
}

/** Server-side apply: own fields as given, those no longer given removed unless somebody else holds them too. */
export function apply(
  live: JsonObject | undefined,
  given: JsonObject,
  schema: Schema,
  writer: Writer,
  force: boolean,
): Applied {
  const entries = entriesOf(live)
  const config = ownable(given)
  const wanted = changed({}, config, schema) ?? {}
  const own = entries.find((entry) => isOf(entry, writer))
  let others = entries.filter((entry) => entry !== own)
  const differing = live ? (changed(ownable(live), config, schema) ?? {}) : {}
  const conflicts = others.flatMap((entry) =>
    common(entry.fieldsV1, differing).map((path) => ({ entry, path: pathText(path) })),
  )
  if (conflicts.length && !force) throw conflictError(conflicts.sort((a, b) => (a.path < b.path ? -1 : 1)))
  if (conflicts.length)
    others = others.flatMap((entry) => {
      const fieldsV1 = subtract(entry.fieldsV1, differing)
      return fieldsV1 === null ? [] : [{ ...entry, fieldsV1 }]
    })
  let merged = structuredMerge(live, { ...given, ...config, metadata: metadataOf(live, given, config) }, schema)
  if (own) merged = pruned(merged, own.fieldsV1, [wanted, ...others.map((entry) => entry.fieldsV1)], schema)
  const mine =
    own && same(own.fieldsV1, wanted) && same(own.apiVersion, writer.apiVersion) ? own : fresh(writer, wanted)
  return { object: merged as JsonObject, entries: [...others, mine] }
}

function metadataOf(live: JsonObject | undefined, given: JsonObject, config: JsonObject): Json {
  const { labels, annotations, finalizers, ownerReferences } = (config.metadata ?? {}) as JsonObject
  const parts = Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(([, v]) => v !== undefined)
  const { name, namespace, uid, resourceVersion } = given.metadata as JsonObject
  const named = Object.entries({ name, namespace, uid, resourceVersion }).filter(([, v]) => v !== undefined)
  return Object.fromEntries([
    ...(live ? [] : named),
    ...named.filter(([k]) => k !== 'name' && k !== 'namespace'),
    ...parts,
  ]) as JsonObject
}

function conflictError(conflicts: { entry: ManagerEntry; path: string }[]): StatusError {
  const using = ({ entry }: { entry: ManagerEntry }) =>
    `"${entry.manager}"${entry.subresource ? ` with subresource "${entry.subresource}"` : ''} using ${entry.apiVersion}`
  const causes: Cause[] = conflicts.map((c) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${using(c)}`,
    field: c.path,
  }))
  const groups = new Map<string, string[]>()
  for (const c of conflicts) groups.set(using(c), [...(groups.get(using(c)) ?? []), c.path])
  const texts = [...groups].map(([who, paths]) =>
    paths.length === 1
      ? `conflict with ${who}: ${paths[0]}`
      : `conflicts with ${who}:\n${paths.map((path) => `- ${path}`).join('\n')}`,
  )
  const count = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`
  return new StatusError(409, 'Conflict', `Apply failed with ${count}: ${texts.join('\n')}`, { causes })
}
