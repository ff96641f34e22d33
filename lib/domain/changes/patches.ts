import fastJsonPatch from 'fast-json-patch'
import type { Json, JsonObject } from '../json'
import { canonical, isObject, same, valueAt } from './canonical'
import type { Revision } from './revision'
import type { ChangedObject } from './types'

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
export const specPath = (hook: Question): string[] =>
  hook === 'CanUpdateMachine' ? ['spec'] : ['spec', 'template', 'spec']

/** The three specs of one side ("current", "desired") of a question. */
export function revisionOf(hook: Question, side: JsonObject): Revision {
  const spec = (part: (typeof PARTS)[number]) => valueAt(side, SLOTS[hook][part], ...specPath(hook))
  const [machine, infrastructure, bootstrap] = PARTS.map(spec)
  if (!isObject(machine)) throw new Error(`The ${hook} request has no ${SLOTS[hook].machine}.`)
  return {
    machine,
    ...(isObject(infrastructure) ? { infrastructure } : {}),
    ...(valueAt(side, SLOTS[hook].bootstrap) === undefined ? {} : { bootstrap: isObject(bootstrap) ? bootstrap : {} }),
    ...(hook === 'CanUpdateMachineSet' ? { workers: true } : {}),
  }
}

/** What is asked, whatever the machine that it is asked about is called. */
export const askedText = (hook: Question, { current, desired }: JsonObject): string =>
  canonical([current, desired].map((side) => revisionOf(hook, side as JsonObject) as unknown as Json))

/** What an updater answered is not a patch of what it was asked about. The sentence names no values. */
export class PatchError extends Error {}

/** The document of a patch; undefined: empty, which changes nothing. */
export function documentOf(patch: HookPatch): Json | undefined {
  const { patchType, patch: text } = patch
  // Cluster API takes a patch without both for none.
  if (!patchType && !text) return undefined
  if (patchType !== 'JSONPatch' && patchType !== 'JSONMergePatch') throw new PatchError('has no known patchType')
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new PatchError('is not in base64')
  const document = parsed(Buffer.from(text, 'base64').toString('utf8') || 'null')
  if (document === null) return undefined
  if (patchType === 'JSONPatch' ? !Array.isArray(document) : !isObject(document))
    throw new PatchError(patchType === 'JSONPatch' ? 'is not a list of operations' : 'is not an object')
  return Array.isArray(document) && document.length === 0 ? undefined : document
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    throw new PatchError('is not JSON')
  }
}

function apply(object: Json, document: Json): Json {
  if (!Array.isArray(document)) return merged(object, document)
  if (document.some(intoItself)) throw new PatchError('does not apply (it moves something into itself)')
  try {
    return fastJsonPatch.applyPatch(structuredClone(object), document as never, true, false).newDocument as Json
  } catch (error) {
    // Its message repeats the objects, and with them their secrets.
    const { name } = error as Error
    throw new PatchError(`does not apply (${/^[A-Z_]+$/.test(name) ? name : 'it is malformed'})`)
  }
}

const intoItself = (operation: Json): boolean =>
  isObject(operation) && operation.op === 'move' && String(operation.path).startsWith(`${String(operation.from)}/`)

/** One object after an updater's patch, as Cluster API applies it: only the compared spec is kept. Throws where it does not apply. */
function patchObject(hook: Question, object: Json, patch: HookPatch): Json {
  const document = documentOf(patch)
  if (document === undefined) return object
  const patched = apply(object, document)
  if (!sameObject(object, patched)) throw new PatchError('is for another object')
  const spec = valueAt(patched, ...specPath(hook))
  if (spec === undefined && valueAt(object, ...specPath(hook)) === undefined) return object
  if (!isObject(spec)) throw new PatchError('takes the spec away')
  const copy = structuredClone(object) as JsonObject
  const holder = hook === 'CanUpdateMachine' ? copy : (valueAt(copy, 'spec', 'template') as JsonObject)
  holder.spec = spec
  return copy
}

const sameObject = (a: Json, b: Json): boolean =>
  [['apiVersion'], ['kind'], ['metadata', 'namespace'], ['metadata', 'name'], ['metadata', 'uid']].every((path) =>
    same(valueAt(a, ...path), valueAt(b, ...path)),
  )

/** RFC 7386. */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const base = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') throw new PatchError('does not apply (it has a key __proto__)')
    if (value === null) delete base[key]
    else base[key] = merged(base[key], value)
  }
  return base
}

const NAMES = { machine: 'machine', infrastructure: 'infrastructure', bootstrap: 'bootstrap config' } as const

/** The patches of an answer, by the object that they are for. Throws where one is for an object that was not asked about. */
export function patchesOf(hook: Question, side: JsonObject, answer: JsonObject): [ChangedObject, HookPatch][] {
  const slots = new Map<string, ChangedObject>(PARTS.map((part) => [`${SLOTS[hook][part]}Patch`, part]))
  return Object.entries(answer).flatMap(([key, patch]): [ChangedObject, HookPatch][] => {
    if (!key.endsWith('Patch') || patch === null || (isObject(patch) && !patch.patchType && !patch.patch)) return []
    const part = slots.get(key)
    if (!part || side[SLOTS[hook][part]] === undefined)
      throw new PatchError(`It answered for another object: ${key.slice(0, 60)} is not what it was asked about.`)
    if (!isObject(patch)) throw new PatchError(`Its patch of the ${NAMES[part]} is not an object.`)
    return [[part, patch as unknown as HookPatch]]
  })
}

/** The current side after an updater's answer. Throws a PatchError that says which patch cannot be taken, and why. */
export function applyAnswer(hook: Question, current: JsonObject, answer: JsonObject): JsonObject {
  const result = { ...current }
  for (const [part, patch] of patchesOf(hook, current, answer)) {
    const slot = SLOTS[hook][part]
    try {
      result[slot] = patchObject(hook, result[slot]!, patch)
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
      throw new PatchError(`Its patch of the ${NAMES[part]} ${error.message}.`)
    }
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

const NOBODY = 'replaced-as-approved.drydock.dev'

/**
 * "No", so that it cannot be mistaken. Cluster API applies the answer to a copy of what is there, compares that with what is
 * wanted, and takes what is equal for possible in place; an empty answer is a "yes" where both have the same content
 * (machinedeployment_canupdatemachineset.go, matchesMachineSet; inplace_canupdatemachine.go, matchesMachine). So the copy
 * is given a failure domain that nobody wants; nothing writes it.
 */
export function refusal(hook: Question): JsonObject {
  const path = `/${[...specPath(hook), 'failureDomain'].join('/')}`
  const patch = Buffer.from(JSON.stringify([{ op: 'add', path, value: NOBODY }])).toString('base64')
  return { [`${SLOTS[hook].machine}Patch`]: { patchType: 'JSONPatch', patch } }
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
