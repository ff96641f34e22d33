import type { Ami } from '../cloud'

/** The product's id, a UUID at the end of a Marketplace image's name. */
export function productOf(name: string): string | undefined {
  const last = name.split('-').slice(-5).join('-')
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(last) ? last : undefined
}

/** "9.6.20260210-0" out of a description like "RHEL CoreOS 9.6 9.6.20260210-0 x86_64". */
const releaseIn = (description: string): string | undefined => /\d+\.\d+\.(?:\d{8}|\d{12})-\d+/.exec(description)?.[0]

/** "9.6" of "9.6.20260210-0"; undefined where there is no second part. */
export function minorOfRelease(release: string): string | undefined {
  const [major, minor] = release.split('.')
  return minor === undefined ? undefined : `${major}.${minor}`
}

const number = (text: string | undefined): number => (text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : 0)

/** Compares releases by their first two numbers alone; what is no number counts as 0. */
export function compareReleases(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.split('.').slice(0, 2).map(number)) as [number[], number[]]
  return (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0)
}

/**
 * The image that the operator takes of a product: of the highest version that is not above the release's own, the newest
 * (findMarketplaceAMI). The older way of numbering (418.94) is above every newer one.
 */
export function bestOfProduct(images: readonly Ami[], release: string): { ami: Ami; release: string } | undefined {
  const candidates = images.flatMap((ami) => {
    const found = releaseIn(ami.description)
    return found && compareReleases(found, release) <= 0 ? [{ ami, release: found }] : []
  })
  const newestFirst = (a: Ami, b: Ami) => (a.created < b.created ? 1 : a.created > b.created ? -1 : 0)
  return candidates.sort((a, b) => compareReleases(b.release, a.release) || newestFirst(a.ami, b.ami))[0]
}
