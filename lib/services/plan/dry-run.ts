import { isObject } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { applyPatch } from '@/lib/domain/merge-patch'
import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import { DECISION, VOID } from '../changes/patch-for'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** What only the API server writes; it stands in what `kubectl get -o yaml` prints. */
const SERVERS = [
  ...['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'ownerReferences'],
]

/** An object as somebody means it: without what the API server, the controllers and the latch wrote into it. */
export function asMeant(object: JsonObject): JsonObject {
  const { status: _status, ...rest } = object
  const metadata = isObject(rest.metadata) ? rest.metadata : {}
  const kept = Object.fromEntries(Object.entries(metadata).filter(([key]) => !SERVERS.includes(key)))
  if (isObject(kept.annotations)) {
    const annotations = Object.entries(kept.annotations).filter(
      ([key, value]) =>
        ![LAST_APPLIED, HELD, DECISION, VOID].includes(key) && !(key === PAUSED && value === PAUSED_BY_DRYDOCK),
    )
    kept.annotations = Object.fromEntries(annotations)
  }
  return { ...rest, metadata: kept }
}

/** Who applied the object last, as managedFields tell: what is left out is then taken away, as it would be for them. */
export function applierOf(live: KubeObject): string | null {
  const appliers = (live.metadata.managedFields ?? []).filter(
    (entry) => entry.manager && entry.operation === 'Apply' && !entry.subresource && !CONTROLLERS.test(entry.manager),
  )
  const newest = appliers.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0]
  return newest?.manager ?? null
}
const CONTROLLERS = /^(drydock|manager|capi-|cap[a-z]*-(controller-)?manager)/

/** The configuration that `kubectl apply` kept on the object; null where it was not applied so. */
function lastApplied(live: KubeObject): JsonObject | null {
  try {
    const kept: unknown = JSON.parse(live.metadata.annotations?.[LAST_APPLIED] ?? 'null')
    return isObject(kept) ? kept : null
  } catch {
    return null
  }
}

interface DryRun {
  live: KubeObject | null
  planned: KubeObject
  /** The API server's words, where the apply would be refused because others set what it sets; `planned` is as if forced. */
  conflict: string | null
}

/**
 * What the API server would store: its defaults, its validation, its webhooks. What exists is applied to in the name of
 * whoever applied it last; what does not is created. Nothing is written.
 */
export async function dryRun(client: KubeClient, resource: Resource, given: JsonObject): Promise<DryRun> {
  const object = asMeant(given)
  const { name, namespace } = object.metadata as { name: string; namespace: string }
  const live = await client.get(resource, name, namespace).catch((error: unknown) => {
    if (error instanceof KubeError && error.code === 404) return null
    throw error
  })
  if (!live)
    return { live, planned: await client.create(resource, object, namespace, { dryRun: true }), conflict: null }
  const applier = applierOf(live)
  const last = applier ? null : lastApplied(live)
  const patch = (type: 'merge' | 'apply', body: JsonObject, more: { fieldManager?: string; force?: boolean } = {}) =>
    client.patch(resource, name, namespace, type, body, { dryRun: true, ...more })
  if (last) return { live, planned: await patch('merge', applyPatch(asMeant(last), object)), conflict: null }
  if (!applier) return { live, planned: await patch('apply', object), conflict: null }
  try {
    return { live, planned: await patch('apply', object, { fieldManager: applier, force: false }), conflict: null }
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 409) throw error
    return { live, planned: await patch('apply', object, { fieldManager: applier }), conflict: error.message }
  }
}
