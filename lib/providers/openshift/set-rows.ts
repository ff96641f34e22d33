import { archOf, assumesWords, type ArchAnswer } from '@/lib/domain/boot-images/arch'
import { asksEc2 } from '@/lib/domain/boot-images/cloud-only'
import { passCounts } from '@/lib/domain/boot-images/counts'
import { enrolled } from '@/lib/domain/boot-images/enrol'
import { mayBeReplaced } from '@/lib/domain/boot-images/may-be-replaced'
import { refineByErrors, refineBySkips } from '@/lib/domain/boot-images/refine'
import type { ManagedMode, Managing } from '@/lib/domain/boot-images/managed/managing'
import { bootImageState, isWindows } from '@/lib/domain/boot-images/state'
import type { BootImage, ImageContext, ImageSet, Outcome } from '@/lib/domain/boot-images/types'
import { withoutSecrets } from '@/lib/domain/changes/secrets'
import { datedText } from '@/lib/domain/skew/dated-text'
import type { DatedImage } from '@/lib/domain/skew/evidence'
import { releaseFacts } from '@/lib/domain/skew/releases'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import { WHY_NO_PLATFORM, type SkewState } from '@/lib/domain/skew/types'
import { controllerState } from '@/lib/domain/skew/upgradeable'
import { releaseNumber } from '@/lib/domain/skew/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import { dateImage } from './image-evidence'
import { imageName } from './image-name'
import { readImageSet } from './image-sets'
import { at, items, text } from './loose'
import { isMarketplace } from './marketplace'
import { AZURE_STACK_HUB } from './platform-name'
import type { ClusterVersionFacts } from './readers'
import { otherArch, otherRegion, releaseImages } from './release-images'
import type { SkewObjects } from './skew-objects'

export interface BootImageSetRow {
  id: string
  kind: string
  namespace: string
  name: string
  replicas: number
  state: BootImage['state']
  reason: string
  current: string | null
  wanted: string | null
  /** Whether the operator keeps its image current. */
  managed: boolean
  /** What the operator does with it in one pass, if it manages it. */
  outcome: Outcome
  arch: string | null
  /** "4.16.0", "RHCOS 418.94.202511191518-0"; null: nothing tells how old its image is. */
  dated: string | null
  datedSure: string | null
  marketplace: boolean
  /** status.errorMessage: why its machines are not made. */
  error: string | null
  /** Of the object itself, not of its machines. */
  labels: Record<string, string>
}

export interface SetView {
  object: KubeObject
  set: ImageSet
  managed: boolean
  image: BootImage
  arch: string | null
  /** The operator assumes its architecture: what comes of that. */
  assumed?: string
  /** Its image is for that one, and its machines are not; null: nothing tells so. */
  otherArch: string | null
  /** Its image is of that AWS region, and its machines are not; null: nothing tells so. */
  otherRegion: string | null
  dated: DatedImage | null
}

/** Machine sets first, then the control plane's, each with what its image is and what becomes of it. */
export function setViews(
  objects: SkewObjects,
  state: SkewState | null,
  context: ImageContext,
  version: ClusterVersionFacts,
  platform: string,
): { machineSets: SetView[]; planes: SetView[] } {
  const release = releaseImages(context.stream, platform)
  const views = [...objects.machineSets, ...objects.controlPlanes].map((object) => {
    const set = readImageSet(object)
    const arch = archOf(set, context)
    const managed = enrolled(state?.effectiveManagers, set) === true
    const image = recognised(withoutPlatform(withoutMap(bootImageState(set, context), objects), context), version)
    const machines = 'arch' in arch && !arch.assumed ? arch.arch : null
    const other = isWindows(set) ? null : otherArch(image.current, machines, release)
    return {
      ...{ object, set, managed, arch: machines, otherArch: other },
      ...assumedOf(arch),
      otherRegion:
        platform === 'AWS' ? otherRegion(image.current, machines, regionOf(object, set), context.stream) : null,
      image: withArch(platform === AZURE_STACK_HUB && !managed ? leftAlone(image, context) : image, machines, other),
    }
  })
  const dated = <T extends (typeof views)[number]>(view: T): T & { dated: DatedImage | null } => ({
    ...view,
    dated: dateImage(view.object, view.image, view.arch, release, version, platform, objects.oldestMachines),
  })
  const machineSets = refineBySkips(
    refineByErrors(
      views.filter((v) => v.set.kind === 'MachineSet'),
      state?.conditions ?? [],
    ),
    skipsCounted(version) ? passCounts(state?.conditions ?? []) : null,
    controllerState(state?.conditions ?? []) === 'settled' && isOfRelease(context, version),
    { platform, listed: context.listed === true },
  )
  const all = [...machineSets, ...views.filter((v) => v.set.kind !== 'MachineSet')].map(dated)
  const told = mayBeReplaced(platform) ? all : all.map((view) => asFormer(asItsLike(view, all), objects.former))
  const of = (plane: boolean) => told.filter((v) => (v.set.kind !== 'MachineSet') === plane)
  return { machineSets: of(false), planes: of(true) }
}

const assumedOf = (arch: ArchAnswer): Pick<SetView, 'assumed'> =>
  'arch' in arch && arch.assumed ? { assumed: assumesWords(arch.arch) } : {}

/** Where its machines are. The control plane's set may leave that to its failure domains, which are zones of one region. */
function regionOf(object: KubeObject, { providerSpec }: ImageSet): string {
  const named = text(providerSpec ?? undefined, 'placement', 'region')
  if (named) return named
  const domains = at(object, 'spec', 'template', 'machines_v1beta1_machine_openshift_io', 'failureDomains')
  const regions = items(domains, 'aws').map((d) => ZONE.exec(text(d, 'placement', 'availabilityZone') ?? '')?.[1] ?? '')
  return new Set(regions).size === 1 ? regions[0]! : ''
}
/** "eu-west-1" of "eu-west-1a" */
const ZONE = /^([a-z]{2}(?:-[a-z]+)+-[0-9]+)/

/** Whatever else is said of an image, nothing starts from one that is for other machines. */
const withArch = (image: BootImage, arch: string | null, other: string | null): BootImage =>
  other === null || image.cause === 'other-arch'
    ? image
    : {
        ...image,
        reason: `An image for ${other}, and its machines are ${arch}: none can start from it. ${image.reason}`.trim(),
      }

/** Without Infrastructure the operator fails on every set, and says so; where it does not, or that has no platform, only Drydock cannot see it. */
const withoutPlatform = (image: BootImage, { platform }: ImageContext): BootImage =>
  image.cause === 'no-infrastructure' || (image.cause === 'platform' && platform === '')
    ? {
        ...image,
        outcome: 'not-known',
        reason: WHY_NO_PLATFORM,
      }
    : image

/** One that could not be read is not missing. */
const withoutMap = (image: BootImage, { mapUnread }: SkewObjects): BootImage =>
  image.cause === 'no-map' && mapUnread
    ? {
        ...image,
        outcome: 'not-known',
        reason: 'Which image the release wants is not known: the ConfigMap coreos-bootimages has not been read.',
      }
    : image

/** Of this release's own image for other machines EC2 says whose it is, where the operator asks it. */
const recognised = (image: BootImage, { version }: ClusterVersionFacts): BootImage =>
  image.cause === 'other-arch' && image.outcome === 'undecided' && version && asksEc2(version)
    ? { ...image, outcome: 'update' }
    : image

/** Until a release is complete no pass goes by its images, and what was counted is of the one before. */
function isOfRelease({ stream }: ImageContext, { version, updating }: ClusterVersionFacts): boolean {
  const [wants, runs] = [(stream.found && stream.releaseVersion) || '', version ?? ''].map(releaseNumber)
  return !updating && (!wants || !runs || wants === runs)
}

/** Before 4.22 the operator counts what it skips as done. */
const skipsCounted = ({ version }: ClusterVersionFacts): boolean =>
  (releaseFacts(version)?.limit ?? 'enforced') === 'enforced'

/** What one set tells of an image holds for all that have it, but where it may be another one under the same name. */
function asItsLike<T extends SetView>(view: T, all: readonly T[]): T {
  const { current, state } = view.image
  if (view.dated || !current || state === 'custom') return view
  const like = all.find(({ dated, image }) => dated && image.current === current)
  if (!like?.dated) return view
  return {
    ...view,
    dated: { ...like.dated, because: `has the image of ${like.set.name}, which ${like.dated.because}` },
  }
}

/** What was told of it while another set had it, which has a newer one since. */
function asFormer<T extends SetView>(view: T, former: SkewObjects['former']): T {
  const { current, state } = view.image
  const dated = !view.dated && current && state !== 'custom' ? former?.get(imageName(current)) : undefined
  return dated ? { ...view, dated } : view
}

/**
 * The operator never begins to manage machine sets of Azure Stack Hub, so no pass comes to them; where an older configuration left
 * them managed, the pass takes them for Azure’s, and so do we.
 */
const leftAlone = (image: BootImage, { limited }: ImageContext): BootImage =>
  image.state === 'excluded'
    ? image
    : {
        ...{ state: 'unknown', outcome: 'ignore', cause: 'platform', current: image.current, wanted: null },
        reason: `The operator does not update boot images on ${AZURE_STACK_HUB}: update them by hand${limited ? ' and acknowledge the version' : ''}.`,
      }

/** All but Windows machines start from RHCOS, also those whose image the operator leaves alone: the record says nothing of their age. */
export const counts = ({ set }: SetView): boolean => !isWindows(set)

export function outcomes(sets: readonly SetView[]): StoredEvidence['sets'] {
  const named = (...wanted: Outcome[]) => sets.filter((v) => wanted.includes(v.image.outcome)).map((v) => v.set.name)
  return {
    skipped: named('skip'),
    failing: named('error', 'crash'),
    ending: named('crash'),
    undecided: named('undecided'),
    unknown: named('not-known'),
    outdated: named('update'),
  }
}

const UNKNOWN: Record<NonNullable<Managing['unknown']>, string> = {
  version: 'not told: the version of the cluster is not known',
  platform: 'not told: which platform it is cannot be read',
}

/** Where the operator says nothing, `never` tells that nothing is managed there whatever is written; else it is not told yet. */
export function managedOf(
  state: SkewState | null,
  sets: readonly SetView[],
  { never, unknown }: Pick<Managing, 'never' | 'unknown'>,
): StoredManagers & { mode: ManagedMode } {
  const effective = state?.effectiveManagers ?? null
  const mode = effective?.find((m) => m.resource === 'machinesets')?.selection.mode
  const managed = sets.filter((v) => v.managed).length
  const told: [ManagedMode, string] =
    effective === null
      ? never
        ? ['not-managed', 'not managed on this platform']
        : ['not-told', unknown ? UNKNOWN[unknown] : 'not told']
      : mode === 'All'
        ? ['all', 'all machine sets']
        : mode === 'Partial'
          ? ['partial', `Partial, ${managed} of ${sets.length}`]
          : ['none', 'off']
  return { spec: state?.managers ?? null, effective, mode: told[0], words: told[1] }
}

export function setRow({ object, set, managed, image, arch, assumed, dated }: SetView): BootImageSetRow {
  const current = image.current && imageName(image.current)
  const reason = current ? image.reason.replaceAll(image.current!, () => current) : image.reason
  const mayChange = image.wanted !== null || image.cause === 'no-arch'
  const off = !managed && mayChange && image.state !== 'current' && image.state !== 'excluded'
  return {
    id: object.metadata.uid,
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    replicas: set.replicas,
    state: image.state,
    reason: [
      reason,
      image.outcome === 'update' || image.outcome === 'undecided' ? assumed : '',
      off ? 'Boot image updates are off for this set.' : '',
    ]
      .filter(Boolean)
      .join(' '),
    current,
    wanted: image.wanted,
    managed,
    outcome: image.outcome,
    arch,
    dated: dated && datedText(dated),
    datedSure: dated?.sure ?? null,
    marketplace: isMarketplace(set.providerSpec),
    error: withoutSecrets(text(object, 'status', 'errorMessage') ?? '') || null,
    labels: set.labels,
  }
}
