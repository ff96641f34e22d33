import type { Json } from '../../json'
import { answers, CRASH, obj, str, type Decide } from './shared'

/** Where the release's images are. */
export const KNOWN = 'projects/rhcos-cloud/global/images'

/** "rhcos-418-94-202511191518-0-gcp-x86-64" is RHCOS 418.94.202511191518-0; a name with longer numbers is no version. */
export function rhcosOfGcpName(name: string): string | undefined {
  const [, a, b, date, build] = /(?:^|\/)rhcos-(\d{1,4})-(\d{1,4})-(\d{8}|\d{12})-(\d{1,9})-/.exec(name) ?? []
  return a && `${a}.${b}.${date}-${build}`
}

/** GCP: the image's own path tells whose it is (reconcileGCPProviderSpec). */
export const gcp: Decide = ({ spec, images }) => {
  const disks = Array.isArray(spec.disks) ? spec.disks : []
  const isBoot = (disk: Json): boolean => obj(disk).boot === true
  const boot = disks.filter(isBoot).map((disk) => str(obj(disk).image))
  if (!images?.gcp)
    return answers(boot[0] || null)(
      'unknown',
      'crash',
      'not-in-release',
      `The release has no GCP image for this architecture. ${CRASH}`,
    )
  const wanted = `projects/${images.gcp.project}/global/images/${images.gcp.name}`
  if (!boot.length)
    return answers(null, wanted)(
      'unknown',
      'unchanged',
      'none',
      'The set has no boot disk, so there is no image to update.',
    )
  const different = boot.filter((image) => image !== wanted)
  const rhcos = rhcosOfGcpName(different[0] ?? wanted)
  const say = answers(different[0] ?? wanted, wanted)
  if (!different.length) return { ...say('current', 'unchanged', 'none', ''), rhcos }
  const custom = different.find((image) => !image.startsWith(KNOWN))
  if (custom !== undefined)
    return answers(custom || null, wanted)(
      'custom',
      'skip',
      'foreign-image',
      'The image does not come from the release’s project (rhcos-cloud): update it by hand.',
    )
  return {
    ...say('outdated', 'update', 'none', 'Not the image of this release.'),
    rhcos,
    change: { disks: disks.map((disk) => (isBoot(disk) ? { ...obj(disk), image: wanted } : disk)) },
  }
}
