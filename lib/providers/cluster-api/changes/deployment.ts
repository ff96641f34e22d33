import {
  canonical,
  changesBetween,
  fingerprint,
  type FieldChange,
  type Owner,
  type Revision,
} from '@/lib/domain/changes'
import { machinePart } from '@/lib/domain/changes/revision'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { count } from '../../fields'
import { afterWords, forHook, hasCome, objectAt, otherKind, refOf, rolloutAfter, strategyOf } from './read'
import { alwaysOfDeployment } from './always'
import { unreadPair, unreadWords } from './unread'
import type { Compared, Comparison, ObjectSource } from './types'
import { templateOf, wholeOf } from './whole'

export const HOOKS = 'hooks.runtime.cluster.x-k8s.io/v1alpha1'

export const ownerOfGroup = (group: KubeObject): Owner => ({
  uid: group.metadata.uid,
  namespace: group.metadata.namespace ?? '',
  name: group.metadata.name,
  kind: group.kind,
})

const machinesOf = (set: KubeObject): number =>
  Math.max(count(set.spec, 'replicas') ?? 0, count(set.status, 'replicas') ?? 0)

/** Machines that there are: more may be wanted, and be kept from being made. Until its manager has looked, those that are wanted. */
function thereOf(set: KubeObject): number {
  const { generation } = set.metadata
  const looked = generation !== undefined && count(set.status, 'observedGeneration') === generation
  return (looked && count(set.status, 'replicas')) || machinesOf(set)
}

/** Every old MachineSet that still has machines, against what the MachineDeployment wants now. */
export async function deploymentChange(group: KubeObject, source: ObjectSource, ahead: boolean): Promise<Comparison> {
  const owner = ownerOfGroup(group)
  const strategy = strategyOf(group)
  const sets = await source.machineSets(group)
  const wanted = canonical(machinePart(templateOf(group)))
  const after = rolloutAfter(group)
  const outdated = (set: KubeObject): boolean => canonical(machinePart(templateOf(set))) !== wanted
  const counts = after !== null && (ahead || hasCome(after))
  const isOld = (set: KubeObject): boolean => outdated(set) || (counts && expired(set, after))
  const current = sets.filter((set) => !isOld(set)).sort(bySize)[0]
  const olds = sets.filter((set) => set !== current && isOld(set) && machinesOf(set) > 0)
  const pairs = await Promise.all(olds.map((set) => compareOrSay(group, owner, set, source)))
  pairs.sort((a, b) => (a.pair.from < b.pair.from ? -1 : 1))
  return {
    ...{ owner, replicas: count(group.spec, 'replicas') ?? 1, strategy, pairs },
    always: alwaysOfDeployment(
      group,
      sets.filter((set) => machinesOf(set) > 0),
    ),
  }
}

/**
 * What the first machine of a group without any would be made with, against what its newest MachineSet was made with.
 * Null: it is the same, or there never was one.
 */
export async function nextOfDeployment(group: KubeObject, source: ObjectSource): Promise<Compared | null> {
  const sets = await source.machineSets(group)
  const wanted = canonical(machinePart(templateOf(group)))
  if (sets.some((set) => canonical(machinePart(templateOf(set))) === wanted)) return null
  const made = (set: KubeObject) => Date.parse(set.metadata.creationTimestamp ?? '') || 0
  const newest = [...sets].sort((a, b) => made(b) - made(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0]
  // Nothing moves by it: what may not be read is said, and keeps nobody from deciding.
  const { strict: _, ...lenient } = source
  return newest ? compareOrSay(group, ownerOfGroup(group), newest, lenient) : null
}

/** Of a held group that may not be compared, what is known of it, and why no more is. */
function compareOrSay(group: KubeObject, owner: Owner, set: KubeObject, source: ObjectSource): Promise<Compared> {
  return compare(group, owner, set, source).catch((error: unknown) => {
    const why = source.strict ? null : unreadWords(group, error)
    if (why === null) throw error
    const of = { from: set.metadata.name, machines: thereOf(set), createdAt: set.metadata.creationTimestamp }
    const side = (object: KubeObject): Revision => ({ workers: true, machine: templateOf(object) })
    return unreadPair(owner, of, changesBetween(side(set), side(group)), why)
  })
}

const bySize = (a: KubeObject, b: KubeObject): number => machinesOf(b) - machinesOf(a)

/** Times that lie ahead count as well: approving them now is approving them then. */
function expired(set: KubeObject, after: string | null): boolean {
  return after !== null && Date.parse(set.metadata.creationTimestamp) < Date.parse(after)
}

async function compare(group: KubeObject, owner: Owner, set: KubeObject, source: ObjectSource): Promise<Compared> {
  const namespace = owner.namespace
  const after = rolloutAfter(group)
  const side = async (object: KubeObject) => {
    const spec = templateOf(object)
    const infrastructureRef = refOf(spec, 'infrastructureRef')
    const bootstrapRef = refOf(spec, 'bootstrap', 'configRef')
    const infrastructure = infrastructureRef && (await source.template(infrastructureRef, namespace))
    const bootstrap = bootstrapRef && (await source.template(bootstrapRef, namespace))
    return { spec, infrastructureRef, infrastructure, bootstrapRef, bootstrap }
  }
  const [current, desired] = [await side(set), await side(group)]
  const lost =
    (current.infrastructureRef && !current.infrastructure ? current.infrastructureRef.name : null) ??
    (current.bootstrapRef && !current.bootstrap ? current.bootstrapRef.name : null)
  const missing = [
    current.infrastructure ? null : (current.infrastructureRef?.name ?? 'the old infrastructure template'),
    desired.infrastructure ? null : (desired.infrastructureRef?.name ?? 'the new infrastructure template'),
    current.bootstrapRef && !current.bootstrap ? current.bootstrapRef.name : null,
    desired.bootstrapRef && !desired.bootstrap ? desired.bootstrapRef.name : null,
  ].find((name) => name !== null)
  // Where they cannot be compared field by field, what is wanted counts as a whole.
  const whole = (object: 'infrastructure' | 'bootstrap'): FieldChange[] => {
    const ref = (s: typeof current) => (object === 'infrastructure' ? s.infrastructureRef : s.bootstrapRef)
    const [had, want] = [current[object], desired[object]]
    if ((had && want) || (!ref(current) && !ref(desired))) return []
    const name = ref(desired)?.name
    const value = want ? templateOf(want) : name ? `${name}, which does not exist` : undefined
    const before = ref(current)?.name
    return [
      {
        ...{ object, path: 'template' },
        ...(before === undefined ? {} : { current: before }),
        ...(value === undefined ? {} : { desired: value }),
      },
    ]
  }
  const both = <T>(a: T | null, b: T | null) => a !== null && b !== null
  const revision = (s: typeof current): Revision => ({
    ...{ workers: true, machine: s.spec },
    ...(both(current.infrastructure, desired.infrastructure) ? { infrastructure: templateOf(s.infrastructure!) } : {}),
    ...(both(current.bootstrap, desired.bootstrap) ? { bootstrap: templateOf(s.bootstrap!) } : {}),
  })
  const absent =
    (desired.infrastructureRef && !desired.infrastructure ? desired.infrastructureRef.name : null) ??
    (desired.bootstrapRef && !desired.bootstrap ? desired.bootstrapRef.name : null)
  const passed = expired(set, after)
  const sides = { current: revision(current), desired: revision(desired) }
  const changes: FieldChange[] = [
    ...changesBetween(sides.current, sides.desired),
    ...whole('infrastructure'),
    ...whole('bootstrap'),
    ...(passed ? [{ object: 'machine' as const, path: 'rollout.after', desired: after! }] : []),
  ]
  const ahead = passed && Date.parse(after!) > Date.now()
  // Upstream compares and asks, writes the new kind under the old machine's name, and fails at that for ever.
  const other =
    otherKind('infrastructure', current.infrastructureRef, desired.infrastructureRef) ??
    otherKind('bootstrap config', current.bootstrapRef, desired.bootstrapRef)
  const certain =
    passed && !ahead
      ? afterWords(after!)
      : strategyOf(group).type === 'OnDelete'
        ? 'The strategy is OnDelete: each machine is replaced when somebody deletes it.'
        : missing
          ? `The template ${missing} does not exist, so Cluster API cannot compare it.`
          : !current.bootstrapRef !== !desired.bootstrapRef
            ? 'Only one of the revisions has a bootstrap template.'
            : (other ?? (ahead ? afterWords(after!) : undefined))
  const pair = {
    from: set.metadata.name,
    machines: thereOf(set),
    createdAt: set.metadata.creationTimestamp,
    fingerprint: fingerprint(owner, changes),
    changes,
    ...(certain ? { certainReplace: certain } : {}),
    ...(ahead && certain === afterWords(after!) ? { later: true as const } : {}),
    ...(other && certain === other ? { otherKind: true as const } : {}),
    ...(absent ? { missing: absent } : {}),
    ...(lost ? { lost } : {}),
  }
  const looked = { pair, sides, ...wholeOf(desired) }
  if (certain) return { ...looked, question: null }
  const hookSide = (machineSet: JsonObject, s: typeof current): JsonObject => ({
    machineSet,
    infrastructureMachineTemplate: forHook(s.infrastructure!),
    ...(s.bootstrap ? { bootstrapConfigTemplate: forHook(s.bootstrap) } : {}),
  })
  const template = { ...(objectAt(set.spec, 'template') ?? {}), spec: desired.spec }
  const request: JsonObject = {
    apiVersion: HOOKS,
    kind: 'CanUpdateMachineSetRequest',
    current: hookSide(forHook(set), current),
    desired: hookSide(forHook(set, { ...set.spec, replicas: 0, template }), desired),
  }
  return { ...looked, question: { hook: 'CanUpdateMachineSet', request } }
}
