import {
  askedBetween,
  changesBetween,
  fingerprint,
  same,
  type FieldChange,
  type Owner,
  type Revision,
} from '@/lib/domain/changes'
import { bootstrapPart, configMatches, wantedFor } from '@/lib/domain/changes/kubeadm'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, count, text } from '../../fields'
import { DELETE_MARK } from '../machine'
import { HOOKS, ownerOfGroup } from './deployment'
import {
  afterWords,
  expiryDays,
  forHook,
  hasCome,
  infrastructureRefOf,
  objectAt,
  otherKind,
  refOf,
  rolloutAfter,
  strategyOf,
  type Ref,
} from './read'
import { alwaysOfControlPlane } from './always'
import { illAmong } from './ill'
import { unreadPair, unreadWords } from './unread'
import type { Compared, Comparison, ObjectSource } from './types'
import { contentOf } from './whole'

const CLONED_NAME = 'cluster.x-k8s.io/cloned-from-name'
const CLONED_KIND = 'cluster.x-k8s.io/cloned-from-groupkind'
const FORCED = [DELETE_MARK, 'cluster.x-k8s.io/remediate-machine']
const DAY = 24 * 3_600_000

/** Every control plane machine that is not what the control plane wants now. */
export async function controlPlaneChange(
  group: KubeObject,
  source: ObjectSource,
  ahead: boolean,
  waits: boolean,
): Promise<Comparison> {
  const owner = ownerOfGroup(group)
  const base = { owner, replicas: count(group.spec, 'replicas') ?? 1, strategy: strategyOf(group) }
  // By a date that lies ahead no machine is outdated yet.
  if (settled(group) && !(ahead && rolloutAfter(group) !== null)) return { ...base, pairs: [] }
  const machines = (await source.machines(group)).filter((machine) => !machine.metadata.deletionTimestamp)
  const compared = await Promise.all(
    machines.map((machine) =>
      compare(group, owner, machine, source, ahead).catch((error: unknown) => {
        const why = source.strict ? null : unreadWords(group, error)
        if (why === null) throw error
        const { name, creationTimestamp: createdAt } = machine.metadata
        const [had, wanted] = [text(machine.spec, 'version') ?? '', text(group.spec, 'version') ?? '']
        const side = (version: string): Revision => ({ machine: { version } })
        return unreadPair(owner, { from: name, machines: 1, createdAt }, changesBetween(side(had), side(wanted)), why)
      }),
    ),
  )
  const pairs = compared.filter((c) => c !== null).sort((a, b) => (a.pair.from < b.pair.from ? -1 : 1))
  const open = pairs.flatMap(({ pair }) => (pair.certainReplace ? [] : pair.from))
  // What is under way is in the hands of its manager.
  const ill = waits ? illAmong(machines, new Set(open)) : null
  return { ...base, pairs, always: alwaysOfControlPlane(group, machines), ...(ill ? { ill } : {}) }
}

/** The controller has seen this very spec and says that every machine is what it wants: no need to compare. */
function settled({ apiVersion, metadata, spec, status }: KubeObject): boolean {
  const annotations = metadata.annotations ?? {}
  if (apiVersion.endsWith('/v1beta1') || 'cluster.x-k8s.io/paused' in annotations) return false
  const replicas = count(spec, 'replicas') ?? 1
  return (
    (count(status, 'observedGeneration') ?? -1) >= (metadata.generation ?? 0) &&
    count(status, 'upToDateReplicas') === replicas &&
    count(status, 'replicas') === replicas
  )
}

async function compare(
  group: KubeObject,
  owner: Owner,
  machine: KubeObject,
  source: ObjectSource,
  ahead: boolean,
): Promise<Compared | null> {
  const infrastructureRef = refOf(machine.spec, 'infrastructureRef')
  const configRef = refOf(machine.spec, 'bootstrap', 'configRef')
  const [infrastructure, config] = await Promise.all([
    infrastructureRef ? source.live(infrastructureRef, owner.namespace) : null,
    configRef ? source.live(configRef, owner.namespace) : null,
  ])
  const wantedRef = infrastructureRefOf(group)
  const hadRef = clonedFrom(infrastructure)
  const otherTemplate = wantedRef !== null && hadRef !== null && !sameRef(hadRef, wantedRef)
  const template = async (ref: Ref | null) => (ref ? await source.template(ref, owner.namespace) : null)
  const [hadTemplate, wanted] = await Promise.all([otherTemplate ? template(hadRef) : null, template(wantedRef)])
  const wantedSpec = objectAt(wanted?.spec, 'template', 'spec')
  const hadSpec =
    objectAt(hadTemplate?.spec, 'template', 'spec') ??
    (otherTemplate ? onlyKnown(infrastructure, wantedSpec) : undefined)
  const wantedVersion = text(group.spec, 'version')
  const wantedConfig = objectAt(group.spec, 'kubeadmConfigSpec') ?? {}
  const had = config?.spec ?? {}
  const compareInfrastructure = otherTemplate && hadSpec !== undefined && wantedSpec !== undefined
  const current: Revision = {
    machine: { version: text(machine.spec, 'version') ?? '' },
    ...(compareInfrastructure ? { infrastructure: hadSpec } : {}),
    ...(config ? { bootstrap: had } : {}),
  }
  const desired: Revision = {
    machine: { version: wantedVersion ?? '' },
    ...(compareInfrastructure ? { infrastructure: wantedSpec } : {}),
    ...(config ? { bootstrap: wantedFor(had, wantedConfig, wantedVersion) } : {}),
  }
  const certain = certainReplace(group, machine)
  const reference = otherTemplate ? referenceChanges(hadRef, wantedRef) : []
  const absent = otherTemplate && !wanted ? wantedRef.name : undefined
  // Content that cannot be compared field by field counts as a whole.
  const whole: FieldChange[] =
    otherTemplate && !compareInfrastructure
      ? [
          {
            object: 'infrastructure',
            path: 'template',
            desired: wantedSpec ?? `${wantedRef.name}, which does not exist`,
          },
        ]
      : []
  const besides = [...whole, ...reference, ...(certain.change ? [certain.change] : [])]
  const differences = changesBetween(current, desired)
  // Only in form: the first machine was made by init, and Cluster API compares that with init.
  const formOnly =
    !otherTemplate &&
    differences.every(({ object }) => object === 'bootstrap') &&
    configMatches(had, wantedConfig, wantedVersion)
  const changes = [...(formOnly ? [] : differences), ...besides]
  if (changes.length === 0 || (certain.later && !ahead && changes.length === 1)) return null
  const other = otherTemplate ? otherKind('infrastructure', hadRef, wantedRef) : null
  const forced = certain.later ? undefined : certain.reason
  // A date ahead moves nothing now, whoever would be asked.
  const onlyLater = certain.later && changes.length === 1
  const unasked = onlyLater ? null : unaskedFor({ infrastructure, hadRef, config })
  const reason = forced ?? (absent ? `The template ${absent} does not exist.` : (unasked ?? other ?? certain.reason))
  const pair = {
    from: machine.metadata.name,
    machines: 1,
    createdAt: machine.metadata.creationTimestamp,
    fingerprint: fingerprint(owner, [...(formOnly ? [] : askedBetween(current, desired)), ...besides]),
    changes,
    ...(reason ? { certainReplace: reason } : {}),
    ...(certain.later && reason === certain.reason ? { later: true as const } : {}),
    ...(other && reason === other ? { otherKind: true as const } : {}),
    ...(absent ? { missing: absent } : {}),
  }
  const sides = { current, desired }
  const looked = { pair, sides, ...(wantedSpec ? contentOf(wanted) : {}) }
  if (reason || !infrastructure || !config) return { ...looked, question: null }
  const nextInfrastructure = otherTemplate
    ? withProviderId(wantedSpec ?? {}, infrastructure)
    : (infrastructure.spec ?? {})
  const side = (m: JsonObject, infra: JsonObject, bootstrap: JsonObject | undefined): JsonObject => ({
    machine: m,
    infrastructureMachine: forHook(infrastructure, infra),
    ...(bootstrap ? { bootstrapConfig: forHook(config, { ...bootstrapPart(bootstrap) }) } : {}),
  })
  const request: JsonObject = {
    apiVersion: HOOKS,
    kind: 'CanUpdateMachineRequest',
    current: side(forHook(machine), infrastructure.spec ?? {}, current.bootstrap),
    desired: side(
      forHook(machine, { ...machine.spec, ...(wantedVersion ? { version: wantedVersion } : {}) }),
      nextInfrastructure,
      desired.bootstrap,
    ),
  }
  return { ...looked, question: { hook: 'CanUpdateMachine', request } }
}

/** How the template that is wanted is another one than that it was made from. */
const referenceChanges = (had: Ref, wanted: Ref): FieldChange[] =>
  (
    [
      ['apiGroup', had.group, wanted.group],
      ['kind', had.kind, wanted.kind],
      ['name', had.name, wanted.name],
    ] as const
  ).flatMap(([key, current, desired]) =>
    current === desired ? [] : [{ object: 'machine', path: `infrastructureRef.${key}`, current, desired }],
  )

/**
 * Why Cluster API asks nobody about a machine (pkg/filters.go, matchesInfraMachine and matchesKubeadmConfig give no objects
 * then, and inplace_canupdatemachine.go, canUpdateMachine says no without them).
 */
function unaskedFor(of: { infrastructure: KubeObject | null; hadRef: Ref | null; config: KubeObject | null }) {
  const what = !of.infrastructure
    ? 'its infrastructure machine does not exist'
    : !of.hadRef
      ? `its infrastructure machine does not say which template it was made from (${CLONED_NAME})`
      : of.config
        ? null
        : 'it has no bootstrap config any more'
  return what && `Cluster API asks nobody whether it can be updated in place, for ${what}: it replaces it.`
}

interface Certain {
  reason?: string
  change?: FieldChange
  later?: true
}

/** Why a control plane machine is replaced whatever an updater says. A mark alone does not make it outdated. */
function certainReplace(group: KubeObject, machine: KubeObject): Certain {
  const after = rolloutAfter(group)
  const older = after !== null && Date.parse(machine.metadata.creationTimestamp) < Date.parse(after)
  const rule: FieldChange = { object: 'machine', path: 'rollout.after', ...(after ? { desired: after } : {}) }
  if (older && hasCome(after)) return { reason: afterWords(after), change: rule }
  const days = expiryDays(group)
  const expiry = text(machine.status, 'certificatesExpiryDate')
  if (days !== null && expiry && Date.parse(expiry) < Date.now() + days * DAY)
    return {
      reason: `Its certificates expire on ${expiry}: Cluster API replaces it.`,
      change: { object: 'machine', path: 'rollout.before.certificatesExpiryDays', desired: days },
    }
  const mark = FORCED.find((key) => key in (machine.metadata.annotations ?? {}))
  if (mark) return { reason: `The machine is marked with ${mark}: Cluster API replaces it.` }
  return older ? { reason: afterWords(after), change: rule, later: true } : {}
}

function clonedFrom(infrastructure: KubeObject | null): Ref | null {
  const annotations = infrastructure?.metadata.annotations ?? {}
  const name = annotations[CLONED_NAME]
  const groupKind = annotations[CLONED_KIND]
  if (!name || !groupKind) return null
  const dot = groupKind.indexOf('.')
  return { kind: groupKind.slice(0, dot), group: groupKind.slice(dot + 1), name }
}

const sameRef = (a: Ref, b: Ref): boolean => a.name === b.name && a.kind === b.kind && a.group === b.group

const withProviderId = (spec: JsonObject, infrastructure: KubeObject): JsonObject => {
  const providerID = at(infrastructure.spec, 'providerID')
  return providerID === undefined ? spec : { ...spec, providerID }
}

/** The old template is gone: its live machine stands in, without what the new template does not speak of. */
function onlyKnown(infrastructure: KubeObject | null, wanted: JsonObject | undefined): JsonObject | undefined {
  if (!infrastructure?.spec || !wanted) return undefined
  const keys = Object.keys(wanted).filter((key) => !same(infrastructure.spec![key], undefined))
  return Object.fromEntries(keys.map((key) => [key, infrastructure.spec![key]!]))
}
