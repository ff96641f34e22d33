import type { JsonObject } from '@/lib/domain/json'
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

/** Something that a patch sets is known to be others', and theirs alone. */
export const isTheirs = (body: JsonObject, metadata: Metadata): boolean =>
  setBy(body).some((path) => {
    const entries = entriesOf(metadata, path)
    return entries.length > 0 && !entries.some(({ manager }) => manager === DRYDOCK)
  })
