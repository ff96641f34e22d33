import type { BootImage, ImageContext, ImageSet } from '../../../lib/domain/boot-images/types'
import type { Json, JsonObject } from '../../../lib/domain/json'
import { jsonError } from './stream-error'

const SUPPORTED = '2.2,3.0,3.1,3.2,3.3,3.4,3.5'
const ARCH = 'capacity.cluster-autoscaler.kubernetes.io/labels'
/** The values of stream metadata by the names that Drydock has for them. */
const VARIANTS: Record<string, string> = { ocp: 'OCP', opp: 'OPP', oke: 'OKE' }

/** What the operator itself says of a set that it fails on; undefined: that is not known here. `stream`: the name of the metadata. */
export function operatorError(
  set: ImageSet,
  { cause, reason, failure = reason }: BootImage,
  context: ImageContext,
  stream = '',
): string | undefined {
  const spec = set.providerSpec ?? {}
  switch (cause) {
    case 'bad-arch':
      return badArch(set.annotations[ARCH] ?? '')
    case 'no-infrastructure':
      return `failed to fetch infra object during ${set.kind === 'MachineSet' ? 'machineset' : set.kind} sync: infrastructure.config.openshift.io "cluster" not found`
    case 'unknown-offer':
      return 'could not determine azure marketplace variant, cannot update boot images'
    case 'credentials':
      return credentials(context)
    case 'workspace':
      return `providerSpec workspace (${workspace(object(spec.workspace))}) does not match any vCenter/failure domain in the Infrastructure object`
    case 'user-data':
      return userData(String(object(spec.userDataSecret).name ?? ''), context)
    case 'not-in-release':
      return notInRelease(set, failure, stream, context)
    case 'cloud':
      return context.platform === 'VSphere' ? noSuchHost(String(object(spec.workspace).server ?? '')) : undefined
    default:
      return undefined
  }
}

const object = (value: Json | undefined): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}

function badArch(annotation: string): string {
  const [, value] = /(?:^|,)\s*kubernetes\.io\/arch=([^,\s]*)/.exec(annotation) ?? []
  const why =
    value === undefined
      ? `kubernetes.io/arch label not found in annotation: ${annotation}`
      : `invalid architecture value found in annotation: ${value}`
  return `failed to fetch arch during machineset sync: ${why}`
}

function credentials({ platform, data }: ImageContext): string {
  if (platform === 'VSphere')
    return 'failed to fetch vsphere-creds Secret during machineset sync: secrets "vsphere-creds" not found'
  return data?.('aws-cloud-credentials')
    ? 'aws-cloud-credentials secret contains neither static credentials (aws_access_key_id/aws_secret_access_key) nor STS credentials (role_arn/web_identity_token_file)'
    : 'failed to fetch aws-cloud-credentials secret: secrets "aws-cloud-credentials" not found'
}

function workspace(spec: JsonObject): string {
  const fields = ['server', 'datacenter', 'datastore', 'resourcePool', 'vmGroup'] as const
  return fields.flatMap((key) => (key === 'vmGroup' && !spec[key] ? [] : [`${key}: ${String(spec[key] ?? '')}`])).join(', ') // prettier-ignore
}

function userData(name: string, { data }: ImageContext): string | undefined {
  const secret = data?.(name)
  if (!secret) return `error grabbing user data secret referenced in machineset: secrets "${name}" not found`
  const text = secret.userData ?? ''
  let parsed: Json
  try {
    parsed = JSON.parse(text) as Json
  } catch {
    // The letter at the end is the operator's own.
    return `failed to unmarshal decoded user-data to json (secret ${name}): ${jsonError(text)}t`
  }
  const { version } = object(object(parsed).ignition)
  if (typeof version === 'number')
    return `failed to find version field in ignition (user data secret ${name}): .ignition.version accessor error: ${version} is of the type float64, expected string`
  const [major = 0, minor = 0] = String(version ?? '').split('.').map(Number) // prettier-ignore
  const why = major < 2 || (major === 2 && minor > 2) ? 'invalid version' : 'unknown version'
  return `converting ignition stub failed: failed to parse Ignition config: parsing Ignition config failed: ${why}. Supported spec versions: ${SUPPORTED}`
}

function notInRelease(set: ImageSet, reason: string, stream: string, context: ImageContext): string | undefined {
  const lacks = (arch: string) => `stream:${stream} does not have architecture '${arch}'`
  const [, images] = /no images for (\S+)\.$/.exec(reason) ?? []
  if (images) return lacks(images)
  const [, aws] = /which RHCOS it has for AWS on (\S+)\.$/.exec(reason) ?? []
  const architectures = context.stream.found ? context.stream.stream?.architectures : undefined
  if (aws)
    return architectures && Object.hasOwn(architectures, aws)
      ? `MachineSet ${set.name}: no aws artifact in stream for arch ${aws}`
      : lacks(aws)
  const [, template] = /no vSphere image for (\S+)\.$/.exec(reason) ?? []
  if (template) return `${stream}/${template}: artifact 'vmware' not found`
  const [, generation, kind, arch] = /no (Gen[12] )?Azure image of the kind (\S+) for (\S+)\.$/.exec(reason) ?? []
  if (generation) return `no ${generation}Azure marketplace image available for architecture ${arch}`
  return kind && `no Azure marketplace images available for variant ${variant(kind)}`
}

function variant(kind: string): string {
  const [paid, emea] = kind.split('-')
  const plan = VARIANTS[paid!]
  return plan ? `MarketplaceWithPlan-${plan}${emea ? '-EMEA' : ''}` : 'MarketplaceNoPlan'
}

const noSuchHost = (server: string): string =>
  `failed in getClientsFromServerURL: failed in govmomi.NewClient login: Post "https://${server}/sdk": dial tcp: lookup ${server}: no such host`
