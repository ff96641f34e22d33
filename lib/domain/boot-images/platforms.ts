import type { JsonObject } from '../json'
import type { Arch, ArchImages, Stream } from './stream'
import type { BootImage, FailureDomain, ImageContext } from './types'

export interface PlatformInput {
  spec: JsonObject
  arch: Arch
  stream: Stream
  context: ImageContext
}

type Decide = (input: PlatformInput, images: ArchImages | undefined) => BootImage

const str = (value: unknown): string => (typeof value === 'string' ? value : '')
const obj = (value: unknown): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {}
const crash = (current: string | null, what: string): BootImage => ({
  state: 'unknown',
  reason: `${what} The operator’s controller stops working on such a set.`,
  current,
  wanted: null,
  outcome: 'crash',
})

/** AWS: ids carry no version, and only EC2 tells whose image an id is. */
export const aws: Decide = ({ spec, arch }, images) => {
  const id = str(obj(spec.ami).id)
  const region = str(obj(spec.placement).region)
  const wanted = images?.aws?.[region]?.image ?? null
  if (!id)
    return {
      state: 'custom',
      reason: 'The image is not chosen by its id (ami.id), so the operator leaves it alone: update it by hand.',
      current: Object.keys(obj(spec.ami)).length ? `by ${Object.keys(obj(spec.ami)).join(' and ')}` : null,
      wanted,
      outcome: 'skip',
    }
  const base = { current: id, wanted }
  if (!wanted) {
    const lacks = images?.aws ? `region ${region || '(none)'}` : `AWS on ${arch}`
    return {
      ...base,
      state: 'unknown',
      reason: `The release has no image for ${lacks}: only a Marketplace image could be updated here.`,
      outcome: 'undecided',
    }
  }
  if (id === wanted) return { ...base, state: 'current', reason: '', outcome: 'unchanged' }
  return {
    ...base,
    state: 'unknown',
    reason:
      'Not the release image: an older one, a Marketplace image or one of your own. On AWS the cluster cannot tell which.',
    outcome: 'undecided',
    patch: { ami: { id: wanted, arn: null, filters: null } },
  }
}

const GCP_KNOWN = 'projects/rhcos-cloud/global/images'

/** "rhcos-418-94-202511191518-0-gcp-x86-64" is RHCOS 418.94.202511191518-0. */
export function rhcosOfGcpName(name: string): string | undefined {
  const [, a, b, date, build] = /(?:^|\/)rhcos-(\d+)-(\d+)-(\d{8}|\d{12})-(\d+)-/.exec(name) ?? []
  return a && `${a}.${b}.${date}-${build}`
}

export const gcp: Decide = ({ spec }, images) => {
  const disks = (Array.isArray(spec.disks) ? spec.disks : []).map(obj)
  const boot = disks.filter((disk) => disk.boot === true).map((disk) => str(disk.image))
  const current = boot[0] ?? null
  if (!images?.gcp) return crash(current, 'The release has no GCP image for this architecture.')
  const wanted = `projects/${images.gcp.project}/global/images/${images.gcp.name}`
  if (!boot.length)
    return {
      state: 'unknown',
      reason: 'The set has no boot disk, so there is no image to update.',
      current,
      wanted,
      outcome: 'unchanged',
    }
  const different = boot.filter((image) => image !== wanted)
  const base = { current: different[0] ?? wanted, wanted, rhcos: rhcosOfGcpName(different[0] ?? wanted) }
  if (!different.length) return { ...base, state: 'current', reason: '', outcome: 'unchanged' }
  const custom = different.find((image) => !image.startsWith(GCP_KNOWN))
  if (custom)
    return {
      ...base,
      current: custom,
      rhcos: undefined,
      state: 'custom',
      reason: 'The image does not come from the release’s project (rhcos-cloud): update it by hand.',
      outcome: 'skip',
    }
  const patched = disks.map((disk) => (disk.boot === true ? { ...disk, image: wanted } : disk))
  return {
    ...base,
    state: 'outdated',
    reason: 'Not the image of this release.',
    outcome: 'update',
    patch: { disks: patched },
  }
}

const PAID: Record<string, string> = { 'rh-ocp-worker': 'ocp', 'rh-opp-worker': 'opp', 'rh-oke-worker': 'oke' }

export const azure: Decide = ({ spec, arch }, images) => {
  const image = obj(spec.image)
  const [publisher, offer, sku, resourceID] = [image.publisher, image.offer, image.sku, image.resourceID].map(str) as [
    string,
    string,
    string,
    string,
  ]
  const current = resourceID || [publisher, offer, sku, str(image.version)].filter(Boolean).join(':') || null
  const no = (state: BootImage['state'], outcome: BootImage['outcome'], reason: string): BootImage => ({
    state,
    outcome,
    reason,
    current,
    wanted: null,
  })
  const security = str(obj(obj(spec.securityProfile).settings).securityType)
  if (security)
    return no(
      'excluded',
      'ignore',
      `Machines with the security type ${security} are not updated by the operator: update the image by hand.`,
    )
  if (arch === 'ppc64le' || arch === 's390x')
    return no('excluded', 'ignore', `On Azure the operator does not update ${arch}.`)
  if (!images) return no('unknown', 'error', `The release has no images for ${arch}.`)
  const paid = publisher === 'redhat' || publisher === 'redhat-limited' ? PAID[offer] : undefined
  const free = resourceID !== '' || publisher === 'azureopenshift'
  if (!free && !paid)
    return no(
      'unknown',
      'error',
      'Neither publisher nor offer is known to the operator, which reports a failure for this set: update the image by hand.',
    )
  if (images.azure === undefined) return crash(current, 'The release names no Azure images at all.')
  if (images.azure === null) return no('unknown', 'skip', 'The release has no Marketplace images for Azure.')
  const variant = free ? 'no-purchase-plan' : `${paid}${publisher === 'redhat-limited' ? '-emea' : ''}`
  const offered = images.azure[variant]
  if (!offered) return no('unknown', 'error', `The release has no Azure image of the kind ${variant} for ${arch}.`)
  const type = str(image.type)
  const gen2 = resourceID
    ? resourceID.includes('gen2')
    : type === 'MarketplaceNoPlan'
      ? sku.includes('v2') || arch === 'aarch64'
      : !sku.includes('gen1')
  const wantedImage = gen2 ? offered.hyperVGen2 : offered.hyperVGen1
  if (!wantedImage)
    return no(
      'unknown',
      'error',
      `The release has no Gen${gen2 ? 2 : 1} Azure image of the kind ${variant} for ${arch}.`,
    )
  const target = { ...wantedImage, resourceID: '', type: free ? 'MarketplaceNoPlan' : 'MarketplaceWithPlan' }
  const wanted = [target.publisher, target.offer, target.sku, target.version].join(':')
  const same = Object.entries(target).every(([key, value]) => str(image[key]) === value)
  if (same) return { state: 'current', reason: '', current, wanted, outcome: 'unchanged' }
  const reason = resourceID
    ? 'An uploaded image. The operator puts the release’s Marketplace image in its place, also where it is one of your own.'
    : current === wanted
      ? 'The image of this release, without its type; the operator writes it out in full.'
      : 'Not the image of this release.'
  return { state: 'outdated', reason, current, wanted, outcome: 'update', patch: { image: target } }
}

export const vsphere: Decide = ({ spec, arch, context }, images) => {
  const current = str(spec.template) || null
  const no = (outcome: BootImage['outcome'], reason: string, wanted: string | null = null): BootImage => ({
    state: 'unknown',
    outcome,
    reason,
    current,
    wanted,
  })
  if (!context.failureDomains)
    return no('ignore', 'Infrastructure has no vSphere part, so the operator leaves the set alone.')
  if (!images) return no('error', `The release has no images for ${arch}.`)
  if (spec.workspace === undefined) return crash(current, 'The set has no workspace.')
  const workspace = obj(spec.workspace)
  const wanted = images.artifacts.vmware?.release
  if (!wanted) return no('error', `The release has no vSphere image for ${arch}.`)
  const domain = context.failureDomains.find((d) => inDomain(workspace, d))
  if (!domain)
    return no(
      'error',
      'Its workspace matches none of the failure domains in Infrastructure, which the operator reports as a failure.',
      `RHCOS ${wanted}`,
    )
  return no(
    'undecided',
    `Only vCenter knows which version the template ${current ?? '(none)'} holds.`,
    `RHCOS ${wanted}`,
  )
}

const trimmed = (path: string): string => path.replace(/\/+$/, '')

const inDomain = (workspace: JsonObject, domain: FailureDomain): boolean =>
  str(workspace.server) === domain.server &&
  str(workspace.datacenter) === domain.datacenter &&
  str(workspace.datastore) === domain.datastore &&
  trimmed(str(workspace.resourcePool)) === trimmed(domain.resourcePool) &&
  str(workspace.vmGroup) === domain.vmGroup
