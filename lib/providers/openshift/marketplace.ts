import type { JsonObject } from '@/lib/domain/json'
import { items, text } from './loose'

/** Publishers of images that are paid for by the hour: openshift/installer, rhcos marketplace streams. */
const AZURE_PUBLISHERS = ['redhat', 'redhat-limited']
const GCP_PROJECT = /(?:^|\/)projects\/redhat-marketplace-public\//

/** Whether a set's image is one of a cloud's marketplace, as far as its name tells: an AMI's id tells nothing. */
export function isMarketplace(spec: JsonObject | null): boolean {
  const publisher = text(spec, 'image', 'publisher')
  if (publisher !== undefined) return AZURE_PUBLISHERS.includes(publisher.toLowerCase())
  return items(spec, 'disks').some((disk) => disk.boot === true && GCP_PROJECT.test(text(disk, 'image') ?? ''))
}
