import { isDeepStrictEqual } from 'node:util'
import type { HookObject, HookRequest, Patch } from './types'

/**
 * What this updater is able to change on a running host, as dotted paths below the object's spec. A path covers
 * everything below it. Whatever else differs, the answer stays incomplete, and Cluster API replaces the machine.
 */
export const COVERED: Record<string, string[]> = {
  machine: ['version'],
  infrastructure: ['backend.inMemory'],
  bootstrap: [
    'files',
    'preKubeadmCommands',
    'postKubeadmCommands',
    'ntp',
    'users',
    'joinConfiguration.nodeRegistration.kubeletExtraArgs',
    // Cluster API switches this on for control planes of 1.31 to 1.35; it means nothing to a running host.
    'clusterConfiguration.featureGates.ControlPlaneKubeletLocalMode',
  ],
}

const PARTS = [
  { part: 'machine', single: 'machine', template: 'machineSet' },
  { part: 'infrastructure', single: 'infrastructureMachine', template: 'infrastructureMachineTemplate' },
  { part: 'bootstrap', single: 'bootstrapConfig', template: 'bootstrapConfigTemplate' },
] as const

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

interface Operation {
  op: 'add' | 'replace' | 'remove'
  path: string
  value?: unknown
}

/** JSON patch from current to desired, as far as the covered fields go. */
export function patchCovered(
  current: unknown,
  desired: unknown,
  covered: string[],
  at: string,
  path = '',
): Operation[] {
  if (!isTree(current) || !isTree(desired)) return []
  return [...new Set([...Object.keys(current), ...Object.keys(desired)])].sort().flatMap((key): Operation[] => {
    const here = path ? `${path}.${key}` : key
    const pointer = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const [before, after] = [current[key], desired[key]]
    if (isDeepStrictEqual(before, after)) return []
    if (covered.some((field) => here === field || here.startsWith(`${field}.`))) {
      if (after === undefined) return [{ op: 'remove', path: pointer }]
      return [{ op: before === undefined ? 'add' : 'replace', path: pointer, value: after }]
    }
    // A covered field further down, in a branch that one side does not have yet.
    if (!covered.some((field) => field.startsWith(`${here}.`))) return []
    if (isTree(before) && isTree(after)) return patchCovered(before, after, covered, pointer, here)
    if (before === undefined && isTree(after) && onlyCovered(after, covered, here)) {
      return [{ op: 'add', path: pointer, value: after }]
    }
    if (after === undefined && isTree(before) && onlyCovered(before, covered, here))
      return [{ op: 'remove', path: pointer }]
    return []
  })
}

function onlyCovered(tree: Tree, covered: string[], path: string): boolean {
  return Object.entries(tree).every(([key, value]) => {
    const here = `${path}.${key}`
    if (covered.some((field) => here === field || here.startsWith(`${field}.`))) return true
    return isTree(value) && covered.some((field) => field.startsWith(`${here}.`)) && onlyCovered(value, covered, here)
  })
}

const encode = (operations: Operation[]): Patch => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

/** Patches for what this updater can change. Fields that the hook never compares need none. */
export function canUpdate(
  { current = {}, desired = {} }: HookRequest,
  template: boolean,
  covers = COVERED,
): Record<string, Patch> {
  const patches: Record<string, Patch> = {}
  for (const { part, single, template: templated } of PARTS) {
    const name = template ? templated : single
    const spec = (object: HookObject | undefined) =>
      template ? (object?.spec?.template as { spec?: unknown } | undefined)?.spec : object?.spec
    const operations = patchCovered(
      spec(current[name]),
      spec(desired[name]),
      covers[part] ?? [],
      template ? '/spec/template/spec' : '/spec',
    )
    if (operations.length > 0) patches[`${name}Patch`] = encode(operations)
  }
  return patches
}
