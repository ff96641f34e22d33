import { ownersOf } from '@/lib/domain/openshift/owners'
import { pathsOf } from '@/lib/domain/openshift/stored'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { stepsOf } from './row-steps'
import type { ActionKind } from './kind'
import { afterOf, changedFields, lookedAt } from './looked-at'

type ManagedEntry = NonNullable<KubeObject['metadata']['managedFields']>[number]

const isOurs = ({ manager, subresource }: ManagedEntry): boolean => manager === 'drydock' && !subresource

const THEN = 'It then said'

/** What is decided may be as it was, and something else of the object another. */
function saidThen(kind: ActionKind, now: KubeObject, seen: string | null): string {
  const before = lookedAt(now.metadata.uid, seen ?? '')
  if (!before || kind.stands({ ...now, ...before }) !== kind.stands(now)) return THEN
  const changed = changedFields(before, now)
  return changed.length > 0 ? `What had changed is ${changed.join(', ')}; it still said` : 'It still said'
}

/** Who wrote the object last, what it says, and who will write it again: what somebody needs to decide again. It stays on record, so it speaks of then. */
export function changesSince(
  kind: ActionKind,
  now: KubeObject,
  row: Pick<OpenShiftAction, 'resourceVersion' | 'generation' | 'steps' | 'calls'>,
  body: JsonObject,
): string {
  // An operator answers every change of the spec in the status: where the spec is another one, that is not who changed it.
  const { resourceVersion: seen, generation } = row
  const specChanged = generation !== null && BigInt(now.metadata.generation ?? 0) !== generation
  const ours = stepsOf(row).findLast((step) => step.state === 'stored')
  const entries = now.metadata.managedFields ?? []
  const since = ours && Date.parse(entries.find(isOurs)?.time ?? ours.at ?? '')
  const last = entries
    .filter((entry) => entry.time && !(specChanged && entry.subresource === 'status'))
    // What Drydock wrote itself, and what was there then, is not what changed since.
    .filter((entry) => !since || (!isOurs(entry) && Date.parse(entry.time!) >= Math.floor(since / 1000) * 1000))
    .sort((a, b) => (a.time as string).localeCompare(b.time as string))
    .at(-1)
  const who = last
    ? `${last.manager ?? 'somebody'} wrote ${last.subresource === 'status' ? 'its status' : 'it'} last.`
    : ours
      ? 'Who that was is not known: whoever only takes fields away leaves no trace.'
      : ''
  const { resourceVersion } = now.metadata
  const versions = seen && seen !== resourceVersion ? ` (resourceVersion ${resourceVersion}, you saw ${seen})` : ''
  const held = ownersOf(now.metadata, pathsOf(body)).filter((owner) => owner.fields.length > 0)
  return [
    who,
    `${saidThen(kind, now, ours ? afterOf(seen ?? '') : seen)}: ${kind.stands(now)}${versions}.`,
    ...held.map((owner) => owner.sentence),
  ]
    .join(' ')
    .trim()
}
