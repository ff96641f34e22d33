import { ownersOf } from '@/lib/domain/openshift/owners'
import { pathsOf } from '@/lib/domain/openshift/stored'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ActionKind } from './kind'

/** Who wrote the object last, what it says now, and who will write it again: what somebody needs to decide again. */
export function changesSince(
  kind: ActionKind,
  now: KubeObject,
  { resourceVersion: seen, generation }: Pick<OpenShiftAction, 'resourceVersion' | 'generation'>,
  body: JsonObject,
): string {
  // An operator answers every change of the spec in the status: where the spec is another one, that is not who changed it.
  const specChanged = generation !== null && BigInt(now.metadata.generation ?? 0) !== generation
  const last = (now.metadata.managedFields ?? [])
    .filter((entry) => entry.time && !(specChanged && entry.subresource === 'status'))
    .sort((a, b) => (a.time as string).localeCompare(b.time as string))
    .at(-1)
  const who = last
    ? `${last.manager ?? 'somebody'} wrote ${last.subresource === 'status' ? 'its status' : 'it'} last.`
    : ''
  const { resourceVersion } = now.metadata
  const versions = seen && seen !== resourceVersion ? ` (resourceVersion ${resourceVersion}, you saw ${seen})` : ''
  const held = ownersOf(now.metadata, pathsOf(body)).filter((owner) => owner.fields.length > 0)
  return [who, `It now says: ${kind.stands(now)}${versions}.`, ...held.map((owner) => owner.sentence)].join(' ').trim()
}
