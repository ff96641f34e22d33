import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { differences } from '@/lib/domain/latch/diff'
import { EXTENSION_CONFIG, RELEASE } from '@/lib/domain/latch/names'
import { LIFECYCLE } from '../upgrades/lifecycle'
import type { KubeObject } from '@/lib/kubernetes/types'

export const HOOKS_NEEDED = ['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine'] as const

/** What a look at the registration found. Stored as ManagementCluster.gateStatus. */
export interface GateStatus {
  checkedAt: string
  /** ok | unregistered | not-discovered | handlers-missing | changed | clash | unreadable */
  state: 'ok' | 'unregistered' | 'not-discovered' | 'handlers-missing' | 'changed' | 'clash' | 'unreadable'
  sentence: string
  url: string | null
  handlers: string[]
  /** Hooks that the managers know no handler of ours for; a failed discovery leaves those that they know. */
  missing: string[]
  /** They know handlers of ours for every lifecycle hook of managed Clusters; absent in what earlier versions found. */
  lifecycle?: boolean
  /** Other ExtensionConfigs that handle the same hooks: with two, Cluster API fails every update. */
  clashes: { extension: string; hook: string; handler: string }[]
  /** Of which registration this is: uid and generation. Null where there is none. */
  of: string | null
  /** When this very registration was first seen to be ok. Null where it is not. */
  okSince: string | null
  /** It was there, and is not any more: somebody took it away, then. */
  takenAt?: string
  /** Where the registration differs from what Drydock wrote: "spec.namespaceSelector.matchLabels". */
  differences: string[]
}

const hooksOf = (object: KubeObject): { hook: string; name: string }[] => {
  const list = valueAt(object.status as JsonObject | undefined, 'handlers')
  return (Array.isArray(list) ? list : []).flatMap((handler) =>
    isObject(handler) && isObject(handler.requestHook)
      ? [{ hook: String(handler.requestHook.hook), name: String(handler.name) }]
      : [],
  )
}

/** Also of this very spec: what was discovered before it was changed says nothing. Older API versions do not tell. */
function discovered({ metadata, status }: KubeObject): boolean {
  const conditions = valueAt(status as JsonObject | undefined, 'conditions')
  return (Array.isArray(conditions) ? conditions : []).some(
    (c) =>
      isObject(c) &&
      c.type === 'Discovered' &&
      c.status === 'True' &&
      (c.observedGeneration === undefined || c.observedGeneration === metadata.generation),
  )
}

/**
 * The state of the registration, from all ExtensionConfigs of the cluster and the spec that it should have. `off`: RuntimeSDK
 * is off in the managers.
 */
export function gateStatusOf(extensions: KubeObject[], wanted: JsonObject, off = false): GateStatus {
  const base = {
    checkedAt: new Date().toISOString(),
    url: null,
    handlers: [],
    missing: [],
    clashes: [],
    differences: [],
    of: null,
    okSince: null,
  }
  const ours = extensions.find((e) => e.metadata.name === EXTENSION_CONFIG)
  const clashes = extensions
    .filter((e) => e !== ours)
    .flatMap((e) => hooksOf(e).map(({ hook, name }) => ({ extension: e.metadata.name, hook, handler: name })))
    .filter(({ hook }) => (HOOKS_NEEDED as readonly string[]).includes(hook))
  const clash = clashes[0]
  const clashing =
    clash &&
    `${clash.extension} also handles ${clash.hook}: Cluster API then fails every update. Remove it there and add it as an updater here.`
  if (!ours) {
    const sentence =
      clashing ?? 'The gate is not registered: where in-place updates are on, Cluster API replaces machines unasked.'
    return { ...base, state: 'unregistered', sentence, clashes }
  }
  const url = valueAt(ours.spec, 'clientConfig', 'url')
  const missing: string[] = HOOKS_NEEDED.filter((hook) => !hooksOf(ours).some((h) => h.hook === hook))
  const found = {
    ...base,
    missing,
    url: typeof url === 'string' ? url.replace(/\/c\/.*$/, '/c/…') : null,
    handlers: hooksOf(ours).map((h) => h.name),
    lifecycle: LIFECYCLE.every((hook) => hooksOf(ours).some((h) => h.hook === hook)),
    clashes,
    of: `${ours.metadata.uid}/${ours.metadata.generation ?? 0}`,
    differences: differences(wanted, (ours.spec ?? {}) as JsonObject, 'spec'),
  }
  const unheard: GateStatus = {
    ...found,
    state: 'handlers-missing',
    sentence: `The managers know no handler for ${missing.join(', ')}; without one they replace unasked.`,
  }
  // Before a clash: where ours is not known, the other one alone is asked.
  if (clashing && discovered(ours) && missing.length > 0) return unheard
  if (clashing) return { ...found, state: 'clash', sentence: clashing }
  if (found.differences.length > 0) return { ...found, state: 'changed', sentence: changedWords(found.differences) }
  if (ours.metadata.annotations?.[RELEASE] !== undefined)
    return {
      ...found,
      state: 'changed',
      sentence: `It is marked to be let go (${RELEASE}): nothing keeps it from being deleted, and without it machines are replaced unasked. Register again, or disconnect the cluster.`,
    }
  if (!discovered(ours))
    return {
      ...found,
      state: 'not-discovered',
      sentence: off
        ? NOBODY_ASKS
        : 'The managers have not discovered the gate: they cannot reach its address, or do not trust it.',
    }
  if (missing.length > 0) return unheard
  return { ...found, state: 'ok', sentence: found.lifecycle ? OK : `${OK} ${NOT_YET}` }
}

const NOBODY_ASKS = 'RuntimeSDK is off in the managers: nobody asks.'
const OK = 'Registered and discovered; Cluster API asks Drydock before it updates.'
const NOT_YET = 'About versions of managed Clusters it is asked as soon as the managers discover it anew, in minutes.'

function changedWords(paths: string[]): string {
  const what = paths.some((path) => path.startsWith('spec.clientConfig'))
    ? 'The registration points elsewhere, or trusts another authority, than it should'
    : 'The registration was changed: Cluster API does not ask Drydock about every group'
  return `${what} (${paths.join(', ')}). Register again.`
}
