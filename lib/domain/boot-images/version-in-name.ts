import { KNOWN, rhcosOfGcpName } from './platforms/gcp'

/**
 * How old an image is by its own name: "RHCOS 9.8.20260428-0", "4.18.0"; null where the platform's names do not say. AMIs have
 * no names, and a vSphere template keeps its name when another image is put behind it.
 */
export function versionInName(image: string | null, platform: string): string | null {
  if (!image) return null
  if (platform === 'GCP') {
    const rhcos = rhcosOfGcpName(image)
    return rhcos ? `RHCOS ${rhcos}` : null
  }
  return platform === 'Azure' ? azureVersion(image) : null
}

/** Azure: who publishes images of the Marketplace that hold RHCOS. */
const PUBLISHERS = ['azureopenshift', 'redhat', 'redhat-limited']

/** Whether it has its name from who publishes RHCOS: in a project or an offer of one's own an image may be called anything. */
export const isPublished = (image: string, platform: string): boolean =>
  platform === 'GCP'
    ? image.startsWith(`${KNOWN}/`)
    : platform !== 'Azure' || PUBLISHERS.includes(image.split(':')[0] ?? '')

/** Whether its name tells its version for certain: on Azure that of an offer is near to that of what it holds. */
export const isSureByName = (image: string, platform: string): boolean =>
  platform !== 'Azure' && isPublished(image, platform)

/** Marketplace versions, the last part of publisher:offer:sku:version: "9.6.20251015", "4.18.2025031114", ARO's "413.92.20230310". */
function azureVersion(image: string): string | null {
  if (!image.includes(':')) return null
  const version = image.slice(image.lastIndexOf(':') + 1)
  const [, first = '', second = ''] = /^(\d{1,3})\.(\d{1,2})\.\d{8,12}$/.exec(version) ?? []
  if (first === '4') return `4.${Number(second)}.0`
  if (/^4\d\d?$/.test(first)) return `4.${Number(first.slice(1))}.0`
  return /^\d{1,3}\.\d{1,3}\.\d{8}$/.test(version) ? `RHCOS ${version}-0` : null
}
