import { answers, CRASH, obj, str, type Decide } from './shared'

const PAID: Record<string, string> = { 'rh-ocp-worker': 'ocp', 'rh-opp-worker': 'opp', 'rh-oke-worker': 'oke' }

/** Azure: publisher and offer tell the kind of image; what was uploaded gives way to the Marketplace (reconcileAzureProviderSpec). */
export const azure: Decide = ({ spec, arch, images }) => {
  const image = obj(spec.image)
  const [publisher, offer, sku, resourceID] = [image.publisher, image.offer, image.sku, image.resourceID].map(str) as [
    string,
    string,
    string,
    string,
  ]
  const current = resourceID || [publisher, offer, sku, str(image.version)].filter(Boolean).join(':') || null
  const no = answers(current)
  if (arch === 'ppc64le' || arch === 's390x')
    return no('excluded', 'ignore', 'platform', `On Azure the operator does not update ${arch}.`)
  const security = str(obj(obj(spec.securityProfile).settings).securityType)
  if (security)
    return no(
      'excluded',
      'ignore',
      'security-type',
      `Machines with the security type ${security} are not updated by the operator: update the image by hand.`,
    )
  const paid = publisher === 'redhat' || publisher === 'redhat-limited' ? PAID[offer] : undefined
  const free = resourceID !== '' || publisher === 'azureopenshift'
  if (!free && !paid)
    return no(
      'unknown',
      'error',
      'unknown-offer',
      `The operator does not know the offer ${offer || '(none)'} of the publisher ${publisher || '(none)'}, letter by letter, and reports a failure for this set: update the image by hand.`,
    )
  if (!images) return no('unknown', 'error', 'not-in-release', `The release has no images for ${arch}.`)
  if (images.azure === undefined)
    return no('unknown', 'crash', 'not-in-release', `The release names no Azure images at all. ${CRASH}`)
  if (images.azure === null)
    return no('unknown', 'skip', 'not-in-release', 'The release has no Marketplace images for Azure.')
  const variant = free ? 'no-purchase-plan' : `${paid}${publisher === 'redhat-limited' ? '-emea' : ''}`
  const offered = images.azure[variant]
  const type = str(image.type)
  const gen2 = resourceID
    ? resourceID.includes('gen2')
    : type === 'MarketplaceNoPlan'
      ? sku.includes('v2') || arch === 'aarch64'
      : !sku.includes('gen1')
  const found = gen2 ? offered?.hyperVGen2 : offered?.hyperVGen1
  if (!found) {
    const lacks = offered ? `Gen${gen2 ? 2 : 1} Azure image` : 'Azure image'
    return no('unknown', 'error', 'not-in-release', `The release has no ${lacks} of the kind ${variant} for ${arch}.`)
  }
  const target = { ...found, resourceID: '', type: free ? 'MarketplaceNoPlan' : 'MarketplaceWithPlan' }
  const wanted = [target.publisher, target.offer, target.sku, target.version].join(':')
  const say = answers(current, wanted)
  if (Object.entries(target).every(([key, value]) => str(image[key]) === value))
    return say('current', 'unchanged', 'none', '')
  const reason = resourceID
    ? 'An uploaded image. The operator puts the release’s Marketplace image in its place, also where it is one of your own.'
    : current === wanted
      ? 'The image of this release, without its type; the operator writes it out in full.'
      : 'Not the image of this release.'
  return { ...say('outdated', 'update', 'none', reason), change: { image: target } }
}
