import { passCounts } from '@/lib/domain/boot-images/counts'
import { enrolled } from '@/lib/domain/boot-images/enrol'
import { refineBySkips } from '@/lib/domain/boot-images/refine'
import { bootImageState } from '@/lib/domain/boot-images/state'
import type { BootImage } from '@/lib/domain/boot-images/types'
import { skewEvidence } from '@/lib/domain/skew/evidence'
import { floorFromMessage, floorInForce, type Floor } from '@/lib/domain/skew/floors'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import { conditionOf, type SkewState } from '@/lib/domain/skew/types'
import { controllerState } from '@/lib/domain/skew/upgradeable'
import { skewVerdict, type Judgement } from '@/lib/domain/skew/verdict'
import { threeParts } from '@/lib/domain/skew/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import { dateImage, streamRelease } from './image-evidence'
import { commonArch, readImageContext, readImageSet } from './image-sets'
import { readClusterVersion, readInfrastructure, readSkewState, readUpgradeable } from './readers'

/** A cluster's objects that boot images and skew rest on; absent ones are undefined. */
export interface SkewObjects {
  machineConfiguration: KubeObject | undefined
  machineSets: KubeObject[]
  controlPlanes: KubeObject[]
  configMap: KubeObject | undefined
  clusterVersion: KubeObject | undefined
  infrastructure: KubeObject | undefined
  operator: KubeObject | undefined
}

export interface BootImageSetRow {
  id: string
  kind: string
  namespace: string
  name: string
  replicas: number
  state: string
  reason: string
  current: string | null
  wanted: string | null
}

export interface SkewRows {
  infrastructureName: string | null
  version: string | null
  platform: string | null
  topology: string | null
  state: SkewState | null
  judgement: Judgement
  floor: Floor | null
  evidence: StoredEvidence
  managed: StoredManagers
  resourceVersion: string | null
  sets: BootImageSetRow[]
}

interface SetView {
  object: KubeObject
  managed: boolean
  image: BootImage
}

/** Everything that a cluster's card and its machine sets' table show. */
export function skewRows(objects: SkewObjects, supported: boolean): SkewRows {
  const version = readClusterVersion(objects.clusterVersion)
  const { name, ...platform } = readInfrastructure(objects.infrastructure)
  const operator = readUpgradeable(objects.operator) ?? null
  const state = objects.machineConfiguration ? readSkewState(objects.machineConfiguration, supported) : null
  const known = floorInForce(version.version, version.newest, supported ? (state?.mode ?? null) : null)
  const floor = known && floorFromMessage(known, operator?.message)
  const context = readImageContext({
    ...objects,
    controlPlaneArch: commonArch([...objects.machineSets, ...objects.controlPlanes]),
  })
  const views = [...objects.machineSets, ...objects.controlPlanes].map((object): SetView => {
    const set = readImageSet(object)
    return { object, managed: enrolled(state?.effectiveManagers, set) === true, image: bootImageState(set, context) }
  })
  const machineSets = refineBySkips(
    views.filter((v) => v.object.kind === 'MachineSet'),
    passCounts(state?.conditions ?? []),
    controllerState(state?.conditions ?? []) === 'settled',
  )
  const planes = views.filter((v) => v.object.kind !== 'MachineSet')
  const releaseVersion = context.stream.found ? context.stream.releaseVersion : undefined
  const evidence = skewEvidence({
    mode: state?.mode ?? null,
    recorded: state?.recorded ?? {},
    acknowledged: state?.spec?.mode === 'Manual',
    history: version.history,
    sets: machineSets.filter(counts).map((v) => ({
      name: v.object.metadata.name,
      replicas: readImageSet(v.object).replicas,
      dated: dateImage(v.object, v.image, releaseVersion, version),
    })),
  })
  return {
    infrastructureName: name,
    version: version.version,
    platform: platform.type || null,
    topology: platform.topology || null,
    state,
    judgement: judge(state, floor, version.version, supported, platform.topology),
    floor,
    evidence: {
      ...evidence,
      platform,
      history: version.history.map(({ state, version }) => ({ state, version })),
      streamVersion: releaseVersion ? (threeParts(releaseVersion) ?? null) : null,
      streamRelease: context.stream.found ? streamRelease(context.stream.stream) : null,
      sets: outcomes(machineSets),
      operator,
      updates: conditionOf(version.conditions, 'Upgradeable') ?? null,
    },
    managed: managedOf(state, machineSets),
    resourceVersion: objects.machineConfiguration?.metadata.resourceVersion ?? null,
    sets: [...machineSets, ...planes].map(setRow),
  }
}

/** Windows machines and other streams do not start from the image that the limit is about. */
const counts = (view: SetView): boolean => !(view.image.state === 'excluded' && view.image.outcome === 'ignore')

function judge(
  state: SkewState | null,
  floor: Floor | null,
  release: string | null,
  supported: boolean,
  topology: string,
): Judgement {
  if (state) return skewVerdict(state, floor, release)
  if (topology === 'External')
    return {
      verdict: 'unsupported-release',
      sentence: 'A hosted control plane: boot images are not limited here.',
      blocks: null,
    }
  if (!supported || !floor)
    return {
      verdict: 'unsupported-release',
      sentence: `OpenShift ${release ?? 'of this version'} does not limit the age of boot images.`,
      blocks: null,
    }
  return {
    verdict: 'unknown',
    sentence:
      'MachineConfiguration/cluster is missing: the Machine Config Operator has not made it yet, or Drydock may not read it.',
    blocks: null,
  }
}

function outcomes(sets: readonly SetView[]): StoredEvidence['sets'] {
  const named = (...wanted: string[]) =>
    sets.filter((v) => wanted.includes(v.image.outcome)).map((v) => v.object.metadata.name)
  return {
    skipped: named('skip'),
    failing: named('error', 'crash'),
    undecided: named('undecided'),
    outdated: named('update'),
  }
}

function managedOf(state: SkewState | null, sets: readonly SetView[]): StoredManagers {
  const effective = state?.effectiveManagers ?? null
  const mode = effective?.find((m) => m.resource === 'machinesets')?.selection.mode
  const managed = sets.filter((v) => v.managed).length
  const words =
    effective === null
      ? 'not managed on this platform'
      : mode === 'All'
        ? 'all machine sets'
        : mode === 'Partial'
          ? `Partial, ${managed} of ${sets.length}`
          : 'off'
  return { spec: state?.managers ?? null, effective, words }
}

function setRow({ object, managed, image }: SetView): BootImageSetRow {
  const off = !managed && image.wanted !== null && image.state !== 'current' && image.state !== 'excluded'
  return {
    id: object.metadata.uid,
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    replicas: readImageSet(object).replicas,
    state: image.state,
    reason: [image.reason, off ? 'Boot image updates are off for this set.' : ''].filter(Boolean).join(' '),
    current: image.current,
    wanted: image.wanted,
  }
}
