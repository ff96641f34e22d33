import { isObject } from '@/lib/domain/changes/canonical'
import type { Json, JsonObject } from '@/lib/domain/json'
import { setBy } from '@/lib/domain/openshift/stored'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at } from '@/lib/providers/openshift/loose'
import { DRYDOCK } from '@/lib/providers/written-by'

type Metadata = KubeObject['metadata']

const entriesOf = ({ managedFields = [] }: Metadata, path: string[]) =>
  managedFields.filter(
    ({ subresource, fieldsV1 }) => !subresource && at(fieldsV1, ...path.map((key) => `f:${key}`)) !== undefined,
  )

/** Since when all that a patch sets has been Drydock's own, as the object tells it; null: not all of it is, or it sets nothing. */
export function oursSince(body: JsonObject, metadata: Metadata): string | null {
  const times = setBy(body).map((path) =>
    entriesOf(metadata, path)
      .flatMap(({ manager, time }) => (manager === DRYDOCK && time ? [time] : []))
      .sort()
      .at(-1),
  )
  return times.every((time) => time !== undefined) ? (times.sort()[0] ?? null) : null
}

/** Each value that a patch sets. Of what is taken away, an object names nobody; of a list, it is whose the whole is. */
const valuesIn = (value: Json, path: string[] = []): string[][] => {
  if (value === null) return []
  const below = isObject(value) ? Object.entries(value) : []
  return below.length === 0 ? [path] : below.flatMap(([key, one]) => valuesIn(one, [...path, key]))
}

/** An entry has it, or some of it, or all that it stands in. */
const covers = (fields: unknown, [key, ...rest]: string[]): boolean => {
  const below = key === undefined ? undefined : at(fields, `f:${key}`)
  if (below === undefined) return false
  return rest.length === 0 || Object.keys(below as object).length === 0 || covers(below, rest)
}

/**
 * Something that a patch sets is others' alone, and since Drydock wrote any of it last: of what it wrote itself, what stood there already
 * stays whose it was.
 */
export function isTheirs(body: JsonObject, { managedFields = [] }: Metadata): boolean {
  const entries = managedFields.filter(({ subresource }) => !subresource)
  const owners = valuesIn(body).map((path) => entries.filter(({ fieldsV1 }) => covers(fieldsV1, path)))
  const isOurs = ({ manager }: (typeof entries)[number]) => manager === DRYDOCK
  const last = owners
    .flatMap((by) => by.filter(isOurs).map(({ time = '' }) => time))
    .sort()
    .at(-1)
  return owners.some(
    (by) => !by.some(isOurs) && by.some(({ time }) => last === undefined || time === undefined || time >= last),
  )
}
