import { passCounts } from '@/lib/domain/boot-images/counts'
import { goesBy, managingOf, type ManagedMode, type ManagedSchema } from '@/lib/domain/boot-images/managed/managing'
import { availabilityOf, type Availability } from '@/lib/domain/skew/availability'
import { confidenceOf, type Confident } from '@/lib/domain/skew/confidence'
import { distanceFrom, type Distance } from '@/lib/domain/skew/distance'
import { installVersion } from '@/lib/domain/skew/effective'
import { planeItem, skewEvidence, type DatedImage } from '@/lib/domain/skew/evidence'
import { explainMode } from '@/lib/domain/skew/explain-mode'
import { flagged } from '@/lib/domain/skew/flagged'
import { floorAsQuoted, floorInForce, quotedFloor, type Floor, type Quoted } from '@/lib/domain/skew/floors'
import { nodeRisk, type NodeRisked } from '@/lib/domain/skew/node-risk'
import { oldestNodeEvidence } from '@/lib/domain/skew/oldest-node'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import { conditionOf, type Condition, type Platform, type SkewState } from '@/lib/domain/skew/types'
import { controllerState } from '@/lib/domain/skew/upgradeable'
import { besideOperator, repeatedOperator } from '@/lib/domain/skew/unheard'
import { isAcknowledged, skewVerdict, standing, type Judgement } from '@/lib/domain/skew/verdict'
import { releaseNumber, threeParts } from '@/lib/domain/skew/version'
import { streamRelease } from './image-evidence'
import { readImageContext } from './image-sets'
import { text } from './loose'
import { platformName } from './platform-name'
import {
  readClusterVersion,
  readInfrastructure,
  readProvisioningUrl,
  readSkewState,
  readUpgradeable,
  type ClusterVersionFacts,
} from './readers'
import { releaseImages } from './release-images'
import { counts, managedOf, outcomes, setRow, setViews, type BootImageSetRow, type SetView } from './set-rows'
import type { SkewObjects } from './skew-objects'

export interface SkewRows {
  infrastructureName: string | null
  version: string | null
  platform: string | null
  topology: string | null
  state: SkewState | null
  /** MachineConfiguration has the limit; null: its schema could not be read, and its status does not say. */
  supported: boolean | null
  judgement: Judgement
  /** What of all this is not heard any more, in words. */
  unheardWhy: string | null
  availability: Availability
  /** Why this mode, or why none. */
  modeWhy: string | null
  floor: Floor | null
  distance: Distance | null
  /** How well the evidence supports what is recorded. */
  confidence: Confident
  nodeRisk: NodeRisked
  /** Why the evidence speaks against an acknowledgement. */
  flaggedWhy: string | null
  /** What ClusterVersion says of updates to a higher minor release, by a condition that is there only while they are closed; null: it cannot be read, or does not know. */
  updateOpen: boolean | null
  evidence: StoredEvidence
  managed: StoredManagers
  managedMode: ManagedMode
  resourceVersion: string | null
  /** Of MachineConfiguration/cluster. */
  uid: string | null
  sets: BootImageSetRow[]
}

/**
 * Everything that a cluster's card and its machine sets' table show. `found`: whether its schema has the limit, where that is known, and
 * `schema` what it has of managed boot images.
 */
export function skewRows(objects: SkewObjects, found: boolean | null, schema?: ManagedSchema | null): SkewRows {
  const version = readClusterVersion(objects.clusterVersion)
  const { name, ...infrastructure } = readInfrastructure(objects.infrastructure)
  const { provisioning } = objects
  const platform: Platform = {
    ...infrastructure,
    ...(provisioning !== undefined && { provisioningUrl: readProvisioningUrl(provisioning ?? undefined) }),
  }
  const operator = readUpgradeable(objects.operator) ?? null
  const closes = operator ?? repeatedOperator(conditionOf(version.conditions, 'Upgradeable'))
  const managing = managingOf(schema, { version: version.version, platform, named: platformName(platform) })
  const read = objects.machineConfiguration ? readSkewState(objects.machineConfiguration, found === true) : null
  // A status that says its mode is no status of a schema without it, whatever could be read of that.
  const supported = read?.mode ? true : found
  const state = read && { ...read, supported: supported === true, effectiveManagers: goesBy(read, managing) }
  const known = floorInForce(version.version, version.newest, state?.mode ?? null)
  const quoted = quotedFloor(heldQuote(objects.quoted ?? null, state, operator, version.version), closes?.message, {
    runs: version.version,
    newest: version.newest,
  })
  const floor = known && floorAsQuoted(known, quoted)
  const context = readImageContext({ ...objects, controlPlaneArch: objects.controlPlaneArch ?? null })
  const views = setViews(objects, state, context, version, platformName(platform))
  const releaseVersion = context.stream.found ? context.stream.releaseVersion : undefined
  const streamVersion = releaseNumber(releaseVersion ?? '') ?? null
  // Where nobody read the address that bare metal starts from, the mode tells whether there is one: not of a single node, where it is None anyway.
  const noAddress = state?.mode === 'None' && !state.spec && platform.topology !== 'SingleReplica'
  const ofRelease = platform.type === 'BareMetal' && !(platform.provisioningUrl ?? !noAddress)
  const ofReleaseNow = ofRelease ? imageOfRelease(streamVersion ?? releaseNumber(version.version ?? '')) : null
  const [machineSets, planes] = [views.machineSets, views.planes].map((of) =>
    of.map((view) => (namesNone(view) ? { ...view, dated: view.dated ?? ofReleaseNow } : view)),
  ) as [SetView[], SetView[]]
  const leftOut = machineSets.filter((view) => !counts(view)).map(({ set }) => set.name)
  const dated = machineSets.filter(counts).map(imageOf)
  // The operator's record passes over the control plane's set, and so does what is said of the record; its new machines join or do not.
  const making = [
    ...dated,
    ...planes.filter(makesMachines).map((view) => ({ ...imageOf(view), name: 'the control plane’s set' })),
  ]
  const { items, best } = skewEvidence({
    mode: state?.mode ?? null,
    recorded: state?.recorded ?? {},
    acknowledged: state !== null && (isAcknowledged(state) || wasAcknowledged(state, version)),
    history: version.history,
    sets: dated,
    pass: controllerState(state?.conditions ?? []) === 'settled' ? passCounts(state?.conditions ?? []) : null,
    streamVersion,
  })
  const node = oldestNodeEvidence(objects.oldestNode ?? null, version.history)
  const ofPlanes = planes.flatMap(({ dated: told, image }) =>
    told && image.state !== 'current' ? [planeItem(told)] : [],
  )
  const evidence = { items: [...items, ...ofPlanes, ...(node ? [node] : [])], best }
  const topology = platform.topology
  const available = availabilityOf({ supported, floor, state, topology, release: version.version })
  const judgement = besideOperator(
    judge(available, state, floor, version, operator?.status === 'True'),
    closes,
    version.version,
    state?.mode ?? null,
  )
  const { mode: managedMode, ...managed } = managedOf(state, machineSets, managing)
  return {
    infrastructureName: name,
    version: version.version,
    platform: platformName(platform) || null,
    topology: topology || null,
    state,
    supported,
    judgement,
    unheardWhy: null,
    availability: available.availability,
    modeWhy: available.why ?? explainMode(state, platform, version.history),
    floor,
    distance: state?.mode && state.mode !== 'None' ? distanceFrom(state.recorded, floor) : null,
    confidence: confidenceOf(evidence, state, floor),
    nodeRisk: nodeRisk({
      verdict: judgement.verdict,
      floor,
      sets: making,
      leftOut,
      ofRelease: ofRelease && [...machineSets.filter(counts), ...planes].every(namesNone),
      release: streamVersion,
    }),
    flaggedWhy: flagged(state, items),
    updateOpen: objects.clusterVersion ? isOpen(conditionOf(version.conditions, 'Upgradeable')?.status) : null,
    evidence: {
      ...evidence,
      platform,
      history: version.history.map(({ state, version, completionTime }) => ({ state, version, completionTime })),
      completedAt: moment(version.history.find((h) => h.state === 'Completed')?.completionTime),
      streamVersion,
      placeholder: streamVersion ? null : (threeParts(releaseVersion ?? '') ?? null),
      rhcos: releaseImages(context.stream, platformName(platform)).rhcos,
      streamRelease: context.stream.found ? streamRelease(context.stream.stream) : null,
      sets: outcomes(machineSets),
      operator,
      updates: conditionOf(version.conditions, 'Upgradeable') ?? null,
      pass: passCounts(state?.conditions ?? []),
      quoted,
      ...(floor?.unsure && { unsure: floor.unsure }),
    },
    managed,
    managedMode,
    resourceVersion: objects.machineConfiguration?.metadata.resourceVersion ?? null,
    uid: objects.machineConfiguration?.metadata.uid ?? null,
    sets: [...machineSets, ...planes].map(setRow),
  }
}

/** A patch may lower the floor: of a quote of before that, below which its operator now keeps nothing closed, nothing is left. */
function heldQuote(
  quoted: Quoted | null,
  state: SkewState | null,
  operator: Condition | null,
  runs: string | null,
): Quoted | null {
  if (!quoted || quoted.release === runs || operator?.status !== 'True' || !state?.mode || state.mode === 'None')
    return quoted
  if (state.observedGeneration < state.generation || controllerState(state.conditions) !== 'settled') return quoted
  const { ocp = '0.0.0', rhel = '0.0' } = quoted
  return standing(state.recorded, { ocp, rhel }) === 'below' ? null : quoted
}

/** One that nothing closes has no such condition, or it is True. */
const isOpen = (status: string | undefined): boolean | null => (status === 'Unknown' ? null : status !== 'False')

const imageOf = ({ set, dated, image, otherArch, otherRegion }: SetView) => ({
  ...{ name: set.name, replicas: set.replicas, dated, state: image.state, otherArch, otherRegion },
  passedOver: image.outcome === 'ignore',
})

/** One that was never activated makes none. */
const makesMachines = ({ object }: SetView): boolean => text(object, 'spec', 'state') !== 'Inactive'

/** Where the release keeps its own image, it is what a set starts from that names none; not what Windows starts from. */
const namesNone = (view: SetView): boolean => counts(view) && view.image.current === null

/** Bare metal: the set names no image, and the release keeps its own. */
const imageOfRelease = (version: string | undefined): DatedImage | null =>
  version
    ? {
        ...{ kind: 'OCPVersion', version, sure: 'likely' },
        because: `starts machines from an image that is part of the release, ${version}`,
      }
    : null

function judge(
  { availability, why }: ReturnType<typeof availabilityOf>,
  state: SkewState | null,
  floor: Floor | null,
  { version: release, history }: ClusterVersionFacts,
  isOpen: boolean,
): Judgement {
  if (availability === 'no-configuration' || availability === 'not-read')
    return { verdict: 'unknown', sentence: why ?? '', blocks: null }
  if (state && (availability === 'enforced' || availability === 'not-filled-yet'))
    return skewVerdict(state, floor, release, installVersion(history), isOpen)
  return { verdict: 'unsupported-release', sentence: why ?? '', blocks: null }
}

/** Of another acknowledgement than that of now, which the operator has not taken up: by itself it records the version of the installation. */
const wasAcknowledged = ({ mode, spec, recorded }: SkewState, { history }: ClusterVersionFacts): boolean =>
  mode === 'Manual' && spec?.mode === 'Manual' && recorded.ocpVersion !== installVersion(history)

/** As Postgres reads it; null: it is none. */
function moment(text: string | null | undefined): string | null {
  const at = Date.parse(text ?? '')
  return at >= Date.UTC(1970) && at < Date.UTC(9999) ? new Date(at).toISOString() : null
}
