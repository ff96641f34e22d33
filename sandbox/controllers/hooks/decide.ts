import jsonpatch, { type Operation } from 'fast-json-patch'
import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../../lib/domain/json'
import { HookError } from './client'

/** The object with which a hook may be asked: no status, no owner, no identity beyond the name. */
export function forHook(object: { apiVersion: string; kind: string; metadata: unknown; spec?: unknown }): JsonObject {
  const { name, namespace, labels, annotations } = object.metadata as Record<string, Json | undefined>
  const metadata = { name, namespace, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) }
  return JSON.parse(
    JSON.stringify({ apiVersion: object.apiVersion, kind: object.kind, metadata, spec: object.spec ?? {} }),
  ) as JsonObject
}

/** Fields of a Machine's spec that never decide between in place and replace. */
const BLANKED = [
  'clusterName',
  'bootstrap',
  'infrastructureRef',
  'providerID',
  'minReadySeconds',
  'readinessGates',
  'taints',
]
const TIMEOUTS = ['nodeDrainTimeoutSeconds', 'nodeVolumeDetachTimeoutSeconds', 'nodeDeletionTimeoutSeconds']

function comparedMachineSpec(spec: Json | undefined): JsonObject {
  const copy = { ...(spec as JsonObject) }
  for (const field of BLANKED) delete copy[field]
  if (copy.deletion) {
    const deletion = { ...(copy.deletion as JsonObject) }
    for (const field of TIMEOUTS) delete deletion[field]
    if (Object.keys(deletion).length > 0) copy.deletion = deletion
    else delete copy.deletion
  }
  return copy
}

function patched(object: JsonObject, patch: Json | undefined): JsonObject {
  if (!patch) return object
  const { patchType, patch: encoded } = patch as JsonObject
  const text = Buffer.from(typeof encoded === 'string' ? encoded : '', 'base64').toString()
  if (text === '') return object
  const decoded = JSON.parse(text) as Json
  const copy = structuredClone(object)
  if (patchType === 'JSONPatch') {
    return jsonpatch.applyPatch(copy, decoded as unknown as Operation[], true).newDocument as JsonObject
  }
  if (patchType === 'JSONMergePatch') return mergePatch(copy, decoded) as JsonObject
  throw new HookError(`unexpected patchType ${String(patchType ?? '')}`)
}

export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch
  const result: JsonObject = target && typeof target === 'object' && !Array.isArray(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = mergePatch(result[key], value)
  }
  return result
}

export type Names = readonly { object: string; patch: string; machine?: boolean }[]

export const MACHINE_NAMES: Names = [
  { object: 'machine', patch: 'machinePatch', machine: true },
  { object: 'infrastructureMachine', patch: 'infrastructureMachinePatch' },
  { object: 'bootstrapConfig', patch: 'bootstrapConfigPatch' },
]

export const SET_NAMES: Names = [
  { object: 'machineSet', patch: 'machineSetPatch', machine: true },
  { object: 'infrastructureMachineTemplate', patch: 'infrastructureMachineTemplatePatch' },
  { object: 'bootstrapConfigTemplate', patch: 'bootstrapConfigTemplatePatch' },
]

/** In place if, and only if, the patches turn all three current objects into the desired ones. */
export function decides(names: Names, current: JsonObject, desired: JsonObject, answer: JsonObject): boolean {
  const template = names === SET_NAMES
  const spec = (object: Json | undefined): Json | undefined => {
    const whole = (object as JsonObject | undefined)?.spec as JsonObject | undefined
    return template ? (whole?.template as JsonObject | undefined)?.spec : whole
  }
  return names.every(({ object, patch, machine }) => {
    const before = current[object]
    if (before === undefined) return desired[object] === undefined
    const after = spec(patched(before as JsonObject, answer[patch]))
    const wanted = spec(desired[object])
    return machine
      ? isDeepStrictEqual(comparedMachineSpec(after), comparedMachineSpec(wanted))
      : isDeepStrictEqual(after ?? {}, wanted ?? {})
  })
}
