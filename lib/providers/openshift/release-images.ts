import { regionsOf } from '@/lib/domain/boot-images/platforms/aws'
import type { ArchImages, StreamMap } from '@/lib/domain/boot-images/stream'
import { versionInName } from '@/lib/domain/boot-images/version-in-name'

/** What a release says of its own boot images on one platform. */
export interface ReleaseImages {
  version: string | undefined
  /** By architecture, as machine sets name them. */
  names: ReadonlyMap<string, readonly string[]>
  /** RHCOS versions in those names. */
  rhcos: readonly string[]
}

const RHCOS = 'RHCOS '

export function releaseImages(map: StreamMap, platform: string): ReleaseImages {
  const architectures = map.found ? Object.entries(map.stream?.architectures ?? {}) : []
  const names = new Map(architectures.map(([arch, images]) => [arch, images ? namesOf(images, platform) : []]))
  const versions = [...names.values()].flat().map((name) => versionInName(name, platform))
  return {
    version: map.found ? map.releaseVersion : undefined,
    names,
    rhcos: versions.flatMap((version) => (version?.startsWith(RHCOS) ? [version.slice(RHCOS.length)] : [])),
  }
}

/** How names of images on GCP end. */
const GCP_ENDS: readonly (readonly [end: string, arch: string])[] = [
  ['-gcp-x86-64', 'x86_64'],
  ['-gcp-aarch64', 'aarch64'],
]

/** Architecture that an image is for, where that is another one than `arch`, which its machines are taken for; null: nothing tells so. */
export function otherArch(image: string | null, arch: string | null, { names }: ReleaseImages): string | null {
  if (!image || !arch || names.get(arch)?.includes(image)) return null
  const told =
    [...names].find(([, ofArch]) => ofArch.includes(image))?.[0] ?? GCP_ENDS.find(([end]) => image.endsWith(end))?.[1]
  return told && told !== arch ? told : null
}

/** AWS region that an image of the release's is of, where its machines are in another one; null: nothing tells so. */
export function otherRegion(image: string | null, arch: string | null, region: string, map: StreamMap): string | null {
  const of = map.found && arch && region ? regionsOf(image, map.stream?.architectures[arch]?.aws) : []
  return of.length > 0 && !of.includes(region) ? of.join(' and ') : null
}

function namesOf({ aws, gcp, azure }: ArchImages, platform: string): string[] {
  if (platform === 'AWS') return Object.values(aws ?? {}).flatMap(({ image }) => (image ? [image] : []))
  if (platform === 'GCP') return gcp?.name ? [`projects/${gcp.project}/global/images/${gcp.name}`] : []
  if (platform !== 'Azure') return []
  const offered = Object.values(azure ?? {}).flatMap((variant) => [variant.hyperVGen1, variant.hyperVGen2])
  return offered.flatMap((image) =>
    image ? [[image.publisher, image.offer, image.sku, image.version].filter(Boolean).join(':')] : [],
  )
}
