import fastJsonPatch from 'fast-json-patch'
import type { Json, JsonObject } from '../json'
import { isObject, same, valueAt } from './canonical'
import type { Revision } from './revision'

/** A patch as Runtime Extensions answer it: base64 of a JSON document. */
export interface HookPatch {
  patchType: 'JSONPatch' | 'JSONMergePatch'
  patch: string
}

export const SLOTS = {
  CanUpdateMachine: { machine: 'machine', infrastructure: 'infrastructureMachine', bootstrap: 'bootstrapConfig' },
  CanUpdateMachineSet: {
    machine: 'machineSet',
    infrastructure: 'infrastructureMachineTemplate',
    bootstrap: 'bootstrapConfigTemplate',
  },
} as const
export type Question = keyof typeof SLOTS
const PARTS = ['machine', 'infrastructure', 'bootstrap'] as const

/** Where the compared spec lies: templates and MachineSets keep it one level deeper. */
const specPath = (hook: Question): string[] => (hook === 'CanUpdateMachine' ? ['spec'] : ['spec', 'template', 'spec'])

/** The three specs of one side ("current", "desired") of a question. */
export function revisionOf(hook: Question, side: JsonObject): Revision {
  const spec = (part: (typeof PARTS)[number]) => valueAt(side, SLOTS[hook][part], ...specPath(hook))
  const [machine, infrastructure, bootstrap] = PARTS.map(spec)
  if (!isObject(machine)) throw new Error(`The ${hook} request has no ${SLOTS[hook].machine}.`)
  return {
    machine,
    ...(isObject(infrastructure) ? { infrastructure } : {}),
    ...(valueAt(side, SLOTS[hook].bootstrap) === undefined ? {} : { bootstrap: isObject(bootstrap) ? bootstrap : {} }),
  }
}

/** One object after an updater's patch, as Cluster API applies it: only the compared spec is kept. Throws where it does not apply. */
function patchObject(hook: Question, object: Json, patch: HookPatch): Json {
  const document = JSON.parse(Buffer.from(patch.patch, 'base64').toString('utf8') || 'null') as Json
  if (patch.patchType !== 'JSONPatch' && patch.patchType !== 'JSONMergePatch')
    throw new Error('a patch has no known patchType')
  const empty = document === null || (Array.isArray(document) && document.length === 0)
  if (empty) return object
  const patched =
    patch.patchType === 'JSONPatch'
      ? (fastJsonPatch.applyPatch(structuredClone(object), document as never, true, false).newDocument as Json)
      : merged(object, document)
  const spec = valueAt(patched, ...specPath(hook))
  const copy = structuredClone(object) as JsonObject
  const holder = hook === 'CanUpdateMachine' ? copy : (valueAt(copy, 'spec', 'template') as JsonObject)
  if (spec !== undefined) holder.spec = spec
  return copy
}

/** RFC 7386. */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const base = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete base[key]
    else base[key] = merged(base[key], value)
  }
  return base
}

/** The current side after an updater's answer. */
export function applyAnswer(hook: Question, current: JsonObject, answer: JsonObject): JsonObject {
  const result = { ...current }
  for (const part of PARTS) {
    const slot = SLOTS[hook][part]
    const patch = answer[`${slot}Patch`]
    if (isObject(patch) && result[slot] !== undefined)
      result[slot] = patchObject(hook, result[slot], patch as unknown as HookPatch)
  }
  return result
}

// Cluster API blanks these before it compares Machines.
const BLANKED = [
  'clusterName',
  'bootstrap',
  'infrastructureRef',
  'providerID',
  'minReadySeconds',
  'readinessGates',
  'taints',
]

function blanked(spec: JsonObject): JsonObject {
  const { deletion, ...rest } = spec
  const kept = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !BLANKED.includes(key) && !/^node.*Timeout$/.test(key)),
  )
  if (!isObject(deletion)) return kept
  const left = Object.entries(deletion).filter(([key]) => !/TimeoutSeconds$/.test(key))
  return left.length > 0 ? { ...kept, deletion: Object.fromEntries(left) } : kept
}

/** Exactly Cluster API's own condition for "in place": anything less would be replaced. */
export function upstreamEqual(hook: Question, current: JsonObject, desired: JsonObject): boolean {
  const a = revisionOf(hook, current)
  const b = revisionOf(hook, desired)
  return (
    same(blanked(a.machine), blanked(b.machine)) &&
    a.infrastructure !== undefined &&
    same(a.infrastructure, b.infrastructure) &&
    (a.bootstrap === undefined) === (b.bootstrap === undefined) &&
    same(a.bootstrap, b.bootstrap)
  )
}

/** Patches that turn `current` into `patched`, with whole specs: nothing in them can be read in two ways. `add` also replaces. */
export function composed(hook: Question, current: JsonObject, patched: JsonObject): JsonObject {
  const before = revisionOf(hook, current)
  const after = revisionOf(hook, patched)
  const path = '/' + specPath(hook).join('/')
  const entries = PARTS.filter((part) => !same(before[part], after[part])).map((part) => {
    const patch = Buffer.from(JSON.stringify([{ op: 'add', path, value: after[part] }])).toString('base64')
    return [`${SLOTS[hook][part]}Patch`, { patchType: 'JSONPatch', patch }]
  })
  return Object.fromEntries(entries) as JsonObject
}
