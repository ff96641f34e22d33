import type { JsonObject } from '../json'
import { archOf } from './arch'
import { aws, azure, gcp, vsphere } from './platforms'
import type { BootImage, ImageContext, ImageSet, Outcome } from './types'
import { userDataProblem } from './user-data'

const PLATFORMS = { AWS: aws, GCP: gcp, Azure: azure, VSphere: vsphere } as const
const STREAM_LABEL = 'machineconfiguration.openshift.io/osstream'

/** Which image a set starts machines from, against the one its release wants: the boot image controller's own order of questions. */
export function bootImageState(set: ImageSet, context: ImageContext): BootImage {
  const current = imageInWords(set.providerSpec, context.platform)
  const plane = set.kind === 'ControlPlaneMachineSet'
  const left = (state: BootImage['state'], outcome: Outcome, reason: string): BootImage => ({
    state,
    outcome,
    reason,
    current,
    wanted: null,
  })
  const owner = set.owners[0]
  if (owner)
    return left(
      'excluded',
      plane ? 'ignore' : 'skip',
      `It belongs to ${owner.kind} ${owner.name}, so the operator leaves its image to that owner.`,
    )
  const stream = set.labels[STREAM_LABEL]
  if (stream !== undefined && stream !== 'rhel-9')
    return left(
      'excluded',
      'ignore',
      `It is labelled for the OS stream ${stream || '(empty)'}; the operator updates rhel-9 only.`,
    )
  if (set.templateLabels['machine.openshift.io/os-id'] === 'Windows')
    return left('excluded', 'ignore', 'Windows machines: the operator does not update their image.')
  const arch = archOf(set, context)
  if ('skip' in arch) return left('unknown', 'skip', arch.skip)
  if ('error' in arch) return left('unknown', 'error', arch.error)
  const decide = PLATFORMS[context.platform as keyof typeof PLATFORMS]
  if (!decide || (plane && decide === vsphere))
    return left(
      'unknown',
      'ignore',
      `The operator does not update boot images ${plane ? 'of control planes ' : ''}on ${context.platform || 'this platform'}: update them by hand and acknowledge the version.`,
    )
  if (!context.stream.found)
    return left(
      'unknown',
      'error',
      'The ConfigMap coreos-bootimages is missing, so nothing tells which image the release wants.',
    )
  if (!context.stream.stream)
    return left('unknown', 'error', `The ConfigMap coreos-bootimages cannot be read: ${context.stream.problem}.`)
  if (!set.providerSpec) return left('unknown', 'error', 'The set has no providerSpec.')
  const parsed = context.stream.stream
  const found = decide(
    { spec: set.providerSpec, arch: arch.arch, stream: parsed, context },
    parsed.architectures[arch.arch],
  )
  return plane ? ofControlPlane(found) : withUserData(found, set, context)
}

/** A control plane set with an image of somebody's own is passed over without a word, and never counted. */
const ofControlPlane = (found: BootImage): BootImage =>
  found.outcome === 'skip' ? { ...found, outcome: 'ignore' } : found

function withUserData(found: BootImage, set: ImageSet, context: ImageContext): BootImage {
  if (found.outcome !== 'update') return found
  const secret = (set.providerSpec?.userDataSecret as { name?: string } | undefined)?.name
  const problem = userDataProblem(secret, context.userData)
  return problem
    ? { ...found, outcome: problem.outcome, reason: `${found.reason} ${problem.reason}`.trim(), patch: undefined }
    : found
}

/** The image a set names, whatever becomes of it. */
export function imageInWords(spec: JsonObject | null, platform: string): string | null {
  const at = (...path: string[]): string | null => {
    let value: unknown = spec
    for (const key of path) value = value !== null && typeof value === 'object' ? (value as JsonObject)[key] : undefined
    return typeof value === 'string' && value ? value : null
  }
  if (platform === 'AWS') return at('ami', 'id')
  if (platform === 'VSphere') return at('template')
  if (platform.startsWith('Azure'))
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
