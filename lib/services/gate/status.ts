import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { EXTENSION_CONFIG } from '@/lib/domain/latch/names'
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
  /** Other ExtensionConfigs that handle the same hooks: with two, Cluster API fails every update. */
  clashes: { extension: string; hook: string; handler: string }[]
}

const hooksOf = (object: KubeObject): { hook: string; name: string }[] => {
  const list = valueAt(object.status as JsonObject | undefined, 'handlers')
  return (Array.isArray(list) ? list : []).flatMap((handler) =>
    isObject(handler) && isObject(handler.requestHook)
      ? [{ hook: String(handler.requestHook.hook), name: String(handler.name) }]
      : [],
  )
}

function discovered(object: KubeObject): boolean {
  const conditions = valueAt(object.status as JsonObject | undefined, 'conditions')
  return (Array.isArray(conditions) ? conditions : []).some(
    (c) => isObject(c) && c.type === 'Discovered' && c.status === 'True',
  )
}

/** The state of the registration, from all ExtensionConfigs of the cluster. */
export function gateStatusOf(extensions: KubeObject[], wanted: { url: string; caBundle: string }): GateStatus {
  const base = { checkedAt: new Date().toISOString(), url: null, handlers: [], clashes: [] }
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
  const found = {
    ...base,
    url: typeof url === 'string' ? url.replace(/\/c\/.*$/, '/c/…') : null,
    handlers: hooksOf(ours).map((h) => h.name),
    clashes,
  }
  if (clashing) return { ...found, state: 'clash', sentence: clashing }
  if (url !== wanted.url || valueAt(ours.spec, 'clientConfig', 'caBundle') !== wanted.caBundle)
    return {
      ...found,
      state: 'changed',
      sentence: 'The registration points elsewhere, or trusts another authority, than it should. Register again.',
    }
  if (!discovered(ours))
    return {
      ...found,
      state: 'not-discovered',
      sentence: 'The managers have not discovered the gate: they cannot reach its address, or do not trust it.',
    }
  const missing = HOOKS_NEEDED.filter((hook) => !hooksOf(ours).some((h) => h.hook === hook))
  if (missing.length > 0)
    return {
      ...found,
      state: 'handlers-missing',
      sentence: `The managers know no handler for ${missing.join(', ')}; without one they replace unasked.`,
    }
  return { ...found, state: 'ok', sentence: 'Registered and discovered; Cluster API asks Drydock before it updates.' }
}
