import type { Ami } from '../cloud'
import { bestOfProduct, minorOfRelease, productOf } from './marketplace'
import { answers, obj, str, type Decide, type Decision, type PlatformInput } from './shared'

/** AWS accounts of Red Hat's own images, and of the Marketplace. */
const RED_HAT = '531415883065'
const MARKETPLACE = '679593333241'

const WHOSE =
  'Not the release image: an older one, a Marketplace image or one of your own. On AWS the cluster cannot tell which.'
const OLDER = 'Not the image of this release, and older: see the evidence.'
const DATED: Readonly<Record<string, string>> = {
  ...{ outdated: OLDER, below: OLDER },
  newer: 'Not the image of this release, and newer: see the evidence.',
}

/** Once something has dated it, `told` says how old it is. */
export const onceDated = (reason: string, told: string): string => reason.replace(WHOSE, DATED[told] ?? WHOSE)

const BY_SEARCH = 'The image is not chosen by its id (ami.id), so the operator leaves it alone: update it by hand.'

/** AWS: ids carry no version, and only EC2 tells whose image an id is; the operator asks it first (reconcileAWSProviderSpec). */
export const aws: Decide = (input) => {
  const { spec, arch, images, context } = input
  const ami = obj(spec.ami)
  const region = str(obj(spec.placement).region)
  const wanted = images?.aws?.[region]?.image || null
  if (typeof ami.id !== 'string') {
    const by = Object.keys(ami)
    return answers(by.length ? `by ${by.join(' and ')}` : null, wanted)('custom', 'skip', 'by-search', BY_SEARCH)
  }
  const say = answers(ami.id || null, wanted)
  const keys = credentials(input)
  if (keys) return say('unknown', 'error', 'credentials', keys)
  if (!region) return say('unknown', 'error', 'cloud', 'The set names no region (placement.region).')
  if (context.cloud) {
    const found = context.cloud.ec2.image(region, ami.id)
    if (typeof found === 'string')
      return say('unknown', 'error', 'cloud', `AWS does not tell about the image ${ami.id}: ${found}.`)
    return ofKnown(input, found, region)
  }
  if (!wanted) {
    const lacks = images?.aws ? `region ${region}` : `AWS on ${arch}`
    return context.listed
      ? say(
          'unknown',
          'skip',
          'not-in-release',
          `The release has no image for ${lacks}, so the operator skips it: update it by hand.`,
        )
      : say(
          'unknown',
          'undecided',
          'not-in-release',
          `The release has no image for ${lacks}: only a Marketplace image could be updated here.`,
        )
  }
  if (ami.id === wanted) return say('current', 'unchanged', 'none', '')
  return {
    ...say('unknown', 'undecided', 'none', ofRegion(ami.id, images?.aws) || WHOSE),
    change: { ami: { id: wanted } },
  }
}

type Regions = Readonly<Record<string, { image: string }>> | undefined

/** Of which regions an id of the release’s is: that of another names nothing here. */
export const regionsOf = (id: string | null, regions: Regions): string[] =>
  Object.entries(regions ?? {}).flatMap(([region, { image }]) => (image === id ? [region] : []))

function ofRegion(id: string, regions: Regions): string | undefined {
  const found = regionsOf(id, regions).join(' and ')
  return found && `The release’s own image of another region, ${found}: no machine starts from it here.`
}

/** Why EC2 cannot be asked: without the Secret, or with one that has neither keys nor a role, there is no answer. */
function credentials({ context }: PlatformInput): string | undefined {
  if (!context.data) return undefined
  const secret = context.data('aws-cloud-credentials')
  if (!secret) return 'The operator’s Secret aws-cloud-credentials does not exist, so it cannot ask AWS.'
  const has = (...keys: string[]) => keys.every((key) => secret[key])
  return has('role_arn', 'web_identity_token_file') || has('aws_access_key_id', 'aws_secret_access_key')
    ? undefined
    : 'The operator’s Secret aws-cloud-credentials has neither keys nor a role, so it cannot ask AWS.'
}

function ofKnown({ arch, images, context }: PlatformInput, ami: Ami, region: string): Decision {
  const product = ami.owner === MARKETPLACE ? productOf(ami.name) : undefined
  if (ami.owner !== RED_HAT && !product)
    return answers(ami.id, images?.aws?.[region]?.image || null)(
      'custom',
      'skip',
      'foreign-image',
      'Not an image of Red Hat’s, and the operator skips it: an image of your own, to be updated by hand.',
    )
  if (!product) {
    const target = images?.aws?.[region]?.image
    if (target === undefined) {
      const lacks = images?.aws ? `region ${region}` : `AWS on ${arch}`
      return answers(ami.id)('unknown', 'skip', 'not-in-release', `The release has no image for ${lacks}.`)
    }
    return to(ami.id, target)
  }
  const say = answers(ami.id)
  const release = images?.artifacts.aws?.release
  if (release === undefined || minorOfRelease(release) === undefined)
    return say('unknown', 'error', 'not-in-release', `The release does not say which RHCOS it has for AWS on ${arch}.`)
  const offered = context.cloud!.ec2.ofProduct(region, product)
  if (typeof offered === 'string')
    return say('unknown', 'error', 'cloud', `AWS does not tell about the Marketplace product ${product}: ${offered}.`)
  const best = bestOfProduct(offered, release)
  return best
    ? { ...to(ami.id, best.ami.id), records: best.release }
    : say(
        'unknown',
        'skip',
        'no-marketplace-image',
        `The Marketplace has no image of this product up to RHCOS ${minorOfRelease(release)} in ${region}.`,
      )
}

const to = (current: string, target: string): Decision => {
  const say = answers(current, target)
  return current === target
    ? say('current', 'unchanged', 'none', '')
    : { ...say('outdated', 'update', 'none', 'Not the image of this release.'), change: { ami: { id: target } } }
}
