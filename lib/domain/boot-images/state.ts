import type { JsonObject } from '../json'
import { archOf } from './arch'
import { mergePatch } from './merge'
import { toldByArch } from './other-arch'
import { aws } from './platforms/aws'
import { azure } from './platforms/azure'
import { gcp } from './platforms/gcp'
import { answers, CRASH, type Decide } from './platforms/shared'
import { vsphere } from './platforms/vsphere'
import { AWS_SPEC, AZURE_SPEC, GCP_SPEC, VSPHERE_SPEC } from './provider-specs'
import type { BootImage, Cause, ImageContext, ImageSet, Outcome } from './types'
import { managedSecret, userDataProblem } from './user-data'
import { MalformedError, written, type Shape } from './written'
import { platformWords } from '../skew/platform-words'

const PLATFORMS = new Map<string | undefined, { decide: Decide; shape: Shape }>([
  ['AWS', { decide: aws, shape: AWS_SPEC }],
  ['GCP', { decide: gcp, shape: GCP_SPEC }],
  ['Azure', { decide: azure, shape: AZURE_SPEC }],
  ['VSphere', { decide: vsphere, shape: VSPHERE_SPEC }],
])
const BARE_METAL = 'BareMetal'
const STREAM_LABEL = 'machineconfiguration.openshift.io/osstream'

/** Its machines start from no RHCOS at all. */
export const isWindows = ({ templateLabels }: Pick<ImageSet, 'templateLabels'>): boolean =>
  templateLabels['machine.openshift.io/os-id'] === 'Windows'

/** Which image a set starts machines from, against the one its release wants: the boot image controller's own order of questions (syncMAPIMachineSet). */
export function bootImageState(set: ImageSet, context: ImageContext): BootImage {
  const current = imageInWords(set.providerSpec, context.platform ?? '')
  const plane = set.kind === 'ControlPlaneMachineSet'
  const left = answers(current) as (
    state: BootImage['state'],
    outcome: Outcome,
    cause: Cause,
    reason: string,
  ) => BootImage
  const owner = set.owners[0]
  const { early = 'no' } = context
  if (owner && early === 'some')
    return left(
      'unknown',
      'not-known',
      'owner',
      `It belongs to ${owner.kind} ${owner.name}: an operator of 4.18 fails on it, one after leaves its image to that owner, and while the cluster is updated it may be either.`,
    )
  if (owner && early === 'yes')
    return left(
      'excluded',
      'error',
      'owner',
      `It belongs to ${owner.kind} ${owner.name}: the operator of this release fails on it, and is degraded for as long as it manages it.`,
    )
  if (owner)
    return left(
      'excluded',
      plane ? 'ignore' : 'skip',
      'owner',
      `It belongs to ${owner.kind} ${owner.name}, so the operator leaves its image to that owner.`,
    )
  const stream = set.labels[STREAM_LABEL]
  const { knowsStreams = 'yes' } = context
  if (stream !== undefined && stream !== 'rhel-9' && knowsStreams !== 'no')
    return left(
      knowsStreams === 'yes' ? 'excluded' : 'unknown',
      knowsStreams === 'yes' ? 'ignore' : 'not-known',
      'stream',
      `It is labelled for the OS stream ${stream || '(empty)'}; ${knowsStreams === 'yes' ? 'the operator updates rhel-9 only' : 'an operator of 4.22 leaves it as it is, one before writes its image, and while the cluster is updated it may be either'}.`,
    )
  if (isWindows(set))
    return left('excluded', 'ignore', 'windows', 'Windows machines: the operator does not update their image.')
  const arch = archOf(set, context)
  // Where it does not begin at all, an annotation changes nothing.
  if ('skip' in arch && context.platform !== undefined && !PLATFORMS.has(context.platform))
    return left('unknown', 'skip', 'platform', byHandWords(context, plane, current))
  if ('skip' in arch) return left('unknown', 'skip', 'no-arch', arch.skip)
  if ('error' in arch) return left('unknown', 'error', 'bad-arch', arch.error)
  if (context.platform === undefined)
    return left(
      'unknown',
      'error',
      'no-infrastructure',
      'There is no Infrastructure/cluster, which tells what the cluster runs on.',
    )
  const platform = PLATFORMS.get(context.platform)
  if (!platform || (plane && platform.decide === vsphere))
    return left('unknown', 'ignore', 'platform', byHandWords(context, plane, current))
  if (!context.stream.found)
    return left(
      'unknown',
      'error',
      'no-map',
      'The ConfigMap coreos-bootimages is missing, so nothing tells which image the release wants.',
    )
  if (!set.providerSpec) return left('unknown', 'error', 'bad-spec', 'The set has no providerSpec.')
  let spec: JsonObject
  try {
    spec = written(platform.shape, set.providerSpec) as JsonObject
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return left('unknown', 'error', 'bad-spec', `The operator cannot read the set’s providerSpec: ${error.message}.`)
  }
  if (!context.stream.stream)
    return left(
      'unknown',
      'error',
      'bad-map',
      `The ConfigMap coreos-bootimages cannot be read: ${context.stream.problem}.`,
    )
  if (platform.decide === gcp && (set.providerSpec.disks as unknown[] | undefined)?.includes(null))
    return left('unknown', 'crash', 'bad-spec', `One of its disks is null. ${CRASH}`)
  if ('unknown' in arch) return left('unknown', 'not-known', 'no-arch', arch.unknown)
  const { architectures } = context.stream.stream
  const images = Object.hasOwn(architectures, arch.arch) ? architectures[arch.arch] : undefined
  const input = { spec, arch: arch.arch, images, context }
  const { change, ...found } = toldByArch(platform.decide(input), platform.decide, input, architectures, arch.assumed)
  const image: BootImage = { ...found, ...(change && { patch: mergePatch(set.providerSpec, { ...spec, ...change }) }) }
  if (early !== 'no' && plane) return image
  if (early === 'yes') return withManagedSecret(image, set.providerSpec)
  const checked = withUserData(image, set.providerSpec, context)
  if (early === 'some') return perhapsManagedSecret(checked, set.providerSpec)
  return plane ? ofControlPlane(checked) : checked
}

/** Of a platform on which the operator updates no boot images. */
function byHandWords({ platform, limited }: ImageContext, plane: boolean, current: string | null): string {
  if (platform !== BARE_METAL)
    return `The operator does not update boot images ${plane ? 'of control planes ' : ''}on ${platform ? platformWords(platform) : 'this platform'}: update them by hand${plane || !limited ? '' : ' and acknowledge the version'}.`
  return current !== null
    ? 'It names an image of its own by an address (image.url): machines start from whatever is there, and nothing in the cluster tells how old that is. The operator updates no boot images on bare metal.'
    : 'On bare metal machines start from an image that is part of the release, as long as Provisioning names none of its own (provisioningOSDownloadURL): the operator writes none into the set.'
}

/** A control plane set with an image of somebody's own is passed over without a word, and never counted. */
const ofControlPlane = (found: BootImage): BootImage =>
  found.outcome === 'skip' ? { ...found, outcome: 'ignore' } : found

function withUserData(found: BootImage, spec: JsonObject, context: ImageContext): BootImage {
  if (found.outcome !== 'update') return found
  const problem = userDataProblem(spec, context.data)
  if (!problem) return found
  const { patch: _, ...rest } = found
  const reason = `${found.reason} ${problem.reason}`.trim()
  return { ...rest, outcome: problem.outcome, cause: 'user-data', reason, failure: problem.reason }
}

/** Up to 4.18 the secret is replaced with the image, and also where the image is right already; but not where that is passed over. */
function withManagedSecret(found: BootImage, spec: JsonObject): BootImage {
  const open = found.outcome === 'undecided' && found.patch !== undefined
  if (!open && found.outcome !== 'update' && found.outcome !== 'unchanged') return found
  const secret = managedSecret(spec)
  if (secret === 'kept') return found
  if (secret === 'crash') return { ...found, outcome: 'crash', cause: 'user-data', reason: `It names no user data secret. ${CRASH}` } // prettier-ignore
  const reason = `${found.reason} ${open ? 'With its image' : 'Where it is managed'}, ${secret.words}`.trim()
  return { ...found, outcome: open ? 'undecided' : 'update', reason, patch: { ...found.patch, ...secret.patch } }
}

/** While 4.18 is updated: the operator of 4.18 replaces the secret, and one after keeps it. */
function perhapsManagedSecret(found: BootImage, spec: JsonObject): BootImage {
  const alone = found.outcome === 'unchanged'
  if (!alone && !(found.outcome === 'undecided' && found.patch) && found.outcome !== 'update') return found
  const secret = managedSecret(spec)
  if (secret === 'kept') return found
  const reason = `${found.reason} ${secret === 'crash' ? PERHAPS_CRASHES : secret.perhaps}`.trim()
  return { ...found, reason, outcome: alone ? 'not-known' : found.outcome }
}
const PERHAPS_CRASHES =
  'It names no user data secret: the process of an operator of 4.18 ends on such a set, one after leaves that as it is, and while the cluster is updated it may be either.'

/** The image a set names, whatever becomes of it. */
export function imageInWords(spec: JsonObject | null, platform: string): string | null {
  const at = (...path: string[]): string | null => {
    let value: unknown = spec
    for (const key of path) value = value !== null && typeof value === 'object' ? (value as JsonObject)[key] : undefined
    return typeof value === 'string' && value ? value : null
  }
  if (platform === 'AWS') return at('ami', 'id')
  if (platform === 'VSphere') return at('template')
  // Where a method of deployment is named that has its own image (install_coreos), the address is not written to the disk.
  if (platform === BARE_METAL) return at('customDeploy', 'method') ? null : at('image', 'url')
  if (platform === 'Azure')
    return (
      at('image', 'resourceID') ??
      ([at('image', 'publisher'), at('image', 'offer'), at('image', 'sku'), at('image', 'version')]
        .filter(Boolean)
        .join(':') ||
        null)
    )
  if (platform === 'GCP') {
    const disks = Array.isArray(spec?.disks) ? spec.disks : []
    const boot = disks.find((disk) => (disk as JsonObject | null)?.boot === true) as JsonObject | undefined
    return typeof boot?.image === 'string' && boot.image ? boot.image : null
  }
  return null
}
