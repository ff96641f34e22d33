/** The `coreos-bootimages` ConfigMap: the boot images that a release wants, per architecture and platform. */
export type Arch = 'x86_64' | 'aarch64' | 'ppc64le' | 's390x'

/** By the names that Kubernetes has for them. */
export const ARCHES: ReadonlyMap<string, Arch> = new Map([
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
  ['ppc64le', 'ppc64le'],
  ['s390x', 's390x'],
])

export interface AzureImage {
  publisher: string
  offer: string
  sku: string
  version: string
}

export interface ArchImages {
  /** RHCOS release of each artifact ("aws", "vmware"…) */
  artifacts: Record<string, { release: string; ova: { location: string; sha256: string } | undefined }>
  aws?: Record<string, { release: string; image: string }>
  gcp?: { release: string; project: string; name: string }
  /** undefined: no rhel-coreos-extensions at all; null: extensions without a marketplace */
  azure?: Record<string, { hyperVGen1?: AzureImage; hyperVGen2?: AzureImage }> | null
}

export interface Stream {
  name: string
  architectures: Partial<Record<string, ArchImages>>
}

export type StreamMap =
  | { found: false }
  | { found: true; releaseVersion: string | undefined; stream: Stream | undefined; problem: string | undefined }

type Loose = { [key: string]: Loose | undefined } & { toString(): string }

/** Parses the ConfigMap's data. Never throws: what is wrong with it is in `problem`. */
export function parseStreamMap(data: Record<string, string> | undefined): StreamMap {
  if (!data) return { found: false }
  const releaseVersion = data.releaseVersion || undefined
  try {
    const raw: unknown = JSON.parse(data.stream ?? '')
    if (raw === null) return { found: true, releaseVersion, stream: parseStream({} as Loose), problem: undefined }
    if (typeof raw !== 'object' || Array.isArray(raw))
      return { found: true, releaseVersion, stream: undefined, problem: 'its stream is not a JSON object' }
    return { found: true, releaseVersion, stream: parseStream(raw as Loose), problem: undefined }
  } catch {
    const problem = data.stream ? 'its stream is not valid JSON' : 'it has no stream'
    return { found: true, releaseVersion, stream: undefined, problem }
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const entries = (value: unknown): [string, Loose][] =>
  value !== null && typeof value === 'object' ? (Object.entries(value) as [string, Loose][]) : []

function parseStream(raw: Loose): Stream {
  const architectures = Object.fromEntries(entries(raw.architectures).map(([arch, value]) => [arch, parseArch(value)]))
  return { name: text(raw.stream), architectures }
}

function parseArch(given: Loose | null): ArchImages {
  const raw = given ?? ({} as Loose)
  const images = raw.images
  const aws = images?.aws?.regions
  const gcp = images?.gcp
  const extensions = raw['rhel-coreos-extensions']
  return {
    artifacts: Object.fromEntries(
      entries(raw.artifacts).map(([name, a]) => [
        name,
        { release: text(a?.release), ova: artifact(a?.formats?.ova?.disk) },
      ]),
    ),
    aws:
      aws &&
      Object.fromEntries(
        entries(aws).map(([region, r]) => [region, { release: text(r?.release), image: text(r?.image) }]),
      ),
    gcp: gcp && { release: text(gcp.release), project: text(gcp.project), name: text(gcp.name) },
    azure: extensions
      ? extensions.marketplace?.azure
        ? azureVariants(extensions.marketplace.azure)
        : null
      : undefined,
  }
}

const artifact = (raw: Loose | undefined) =>
  raw ? { location: text(raw.location), sha256: text(raw.sha256) } : undefined

const azureVariants = (raw: Loose) =>
  Object.fromEntries(
    entries(raw).map(([variant, v]) => [
      variant,
      { hyperVGen1: azureImage(v?.hyperVGen1), hyperVGen2: azureImage(v?.hyperVGen2) },
    ]),
  )

const azureImage = (raw: Loose | undefined): AzureImage | undefined =>
  raw && { publisher: text(raw.publisher), offer: text(raw.offer), sku: text(raw.sku), version: text(raw.version) }
