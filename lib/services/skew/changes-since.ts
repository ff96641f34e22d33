import { readSkewState } from '@/lib/providers/openshift/readers'
import { spoken } from '@/lib/domain/skew/verdict'
import type { KubeObject } from '@/lib/kubernetes/types'

/** Who wrote MachineConfiguration last, and what it says now: what somebody needs to decide again. */
export function changesSince(now: KubeObject, seen: string | null): string {
  const last = (now.metadata.managedFields ?? [])
    .filter((entry) => entry.time)
    .sort((a, b) => (a.time as string).localeCompare(b.time as string))
    .at(-1)
  const state = readSkewState(now, true)
  const spec = state.spec
  const stands =
    spec === null
      ? 'no skew stanza'
      : spec.mode === 'Manual'
        ? `Manual, ${spoken(spec.manual ?? {})}`
        : String(spec.mode)
  const who = last
    ? `${last.manager ?? 'somebody'} wrote ${last.subresource === 'status' ? 'its status' : 'it'} last.`
    : ''
  return `${who} It now says: ${stands}${seen && seen !== now.metadata.resourceVersion ? ` (resourceVersion ${now.metadata.resourceVersion}, you saw ${seen})` : ''}.`.trim()
}
