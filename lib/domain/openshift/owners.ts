import { isObject } from '../changes/canonical'
import type { Json, JsonObject } from '../json'

/** Of an object's metadata what tells who writes it. */
export interface Managed {
  managedFields?: {
    manager?: string
    operation?: string
    subresource?: string
    time?: string
    fieldsV1?: JsonObject
  }[]
  annotations?: Record<string, string>
}

export interface FieldOwner {
  manager: string
  /** Of the fields asked about, those that it holds: "spec.bootImageSkewEnforcement". None: it writes other parts of the object. */
  fields: string[]
  /** Who it is, and what its next sync does to a change of these fields. */
  sentence: string
}

interface Tool {
  name: string
  is: RegExp
  /** What happens to a field that it holds, when it comes by the next time. */
  next: string
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const CLIENT_SIDE = 'kubectl-client-side-apply'

/**
 * Field managers as the tools name themselves: Argo CD (common.ArgoCDSSAManager, and its binary's name where it applies on
 * the client), Flux's controllers, Helm 3. A merge patch takes a field from all of them, and none of them is told.
 */
const TOOLS: Tool[] = [
  {
    name: 'Argo CD',
    is: /^argocd-/,
    next: 'Its next sync writes what the repository says again, at once where self-heal is on.',
  },
  {
    name: 'Flux',
    is: /^kustomize-controller$/,
    next: 'Its next reconciliation takes the field back, by force, and writes what the repository says.',
  },
  {
    name: 'Flux (Helm)',
    is: /^helm-controller$/,
    next: 'The next upgrade of its release writes what the chart says, and so does each reconciliation where drift is corrected.',
  },
  {
    name: 'Helm',
    is: /^helm$/i,
    next: 'The next upgrade of its release writes what the chart says, where that changes it.',
  },
  {
    name: 'kubectl apply',
    is: /^kubectl-client-side-apply$/,
    next: 'Whoever applies that file again writes what it says.',
  },
]

const APPLIES = {
  name: 'A server-side apply',
  next: 'When it applies the field again it is told of a conflict with drydock; where it forces, it writes its value.',
}

/**
 * Who else holds fields that are about to be changed, or writes the object from a repository: by managedFields, and by what
 * `kubectl apply` leaves behind. People's own edits hold nothing: nobody comes by to repeat them.
 */
export function ownersOf(metadata: Managed, paths: string[][]): FieldOwner[] {
  const held = new Map<string, { tool: Omit<Tool, 'is'>; fields: Set<string> }>()
  const note = (manager: string, applies: boolean, has: (path: string[]) => boolean) => {
    const tool = TOOLS.find(({ is }) => is.test(manager)) ?? (applies ? APPLIES : undefined)
    if (!tool || manager === 'drydock') return
    const known = held.get(manager) ?? { tool, fields: new Set<string>() }
    for (const path of paths.filter(has)) known.fields.add(path.join('.'))
    held.set(manager, known)
  }
  for (const { manager = '', operation, subresource, fieldsV1 } of metadata.managedFields ?? [])
    if (!subresource)
      note(
        manager,
        operation === 'Apply',
        (path) =>
          at(
            fieldsV1,
            path.map((key) => `f:${key}`),
          ) !== undefined,
      )
  const applied = lastApplied(metadata)
  // Argo CD leaves the annotation as well, and no entry for kubectl.
  const argo = [...held.keys()].find((manager) => manager.startsWith('argocd-'))
  if (applied) note(argo ?? CLIENT_SIDE, false, (path) => at(applied, path) !== undefined)
  return [...held].flatMap(([manager, { tool, fields }]) => {
    const owner = { manager, fields: [...fields], sentence: sentenceOf(manager, tool, [...fields], paths) }
    return fields.size > 0 || tool !== APPLIES ? [owner] : []
  })
}

const TO_STAY = 'For it to stay, change it at the source as well.'

function sentenceOf(manager: string, { name, next }: Omit<Tool, 'is'>, fields: string[], paths: string[][]): string {
  const who = `${name} (${manager})`
  if (fields.length > 0) return `${who} holds ${fields.join(' and ')}. ${next} ${TO_STAY}`
  return `${who} writes this object, and does not hold ${paths.map((path) => path.join('.')).join(' or ')} at present. If its source names it, its next sync writes it.`
}

/**
 * Who holds any of these fields ("spec.bootImageSkewEnforcement"), who wrote last at the end. What is taken away nobody holds. The time is
 * of the whole entry: whoever holds no more there than what is left over of it, or what another holds with more, did not write last.
 */
export function writersOf({ managedFields = [] }: Managed, fields: readonly string[]): string[] {
  const paths = fields.map((field) => field.split('.').map((key) => `f:${key}`))
  const holding = managedFields.flatMap(({ manager, subresource, time = '', fieldsV1 }) => {
    const leaves = subresource ? [] : paths.flatMap((path) => leavesOf(at(fieldsV1, path), path.join(' ')))
    return leaves.length > 0 ? { manager, time, leaves } : []
  })
  return holding
    .filter((one) => !holding.some((other) => covers(other.leaves, one.leaves) && !covers(one.leaves, other.leaves)))
    .sort((a, b) => a.time.localeCompare(b.time))
    .flatMap(({ manager }) => manager ?? [])
}

/** A struct whose fields others took stays with nothing in it. */
function leavesOf(held: Json | undefined, path: string): string[] {
  if (!isObject(held)) return []
  const keys = Object.keys(held).filter((key) => key !== '.')
  return keys.length === 0 ? [path] : keys.flatMap((key) => leavesOf(held[key], `${path} ${key}`))
}

/** Each is one of these, or a struct around one. */
const covers = (these: readonly string[], each: readonly string[]): boolean =>
  each.every((one) => these.some((leaf) => `${leaf} `.startsWith(`${one} `)))

const at = (value: Json | undefined, path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, key) => (isObject(found) ? found[key] : undefined), value)

function lastApplied({ annotations }: Managed): JsonObject | null {
  try {
    const parsed = JSON.parse(annotations?.[LAST_APPLIED] ?? 'null') as Json
    return isObject(parsed) ? parsed : null
  } catch {
    return null
  }
}
