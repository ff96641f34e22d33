import type { PassCounts } from '../boot-images/counts'
import { installVersion } from './effective'
import type { HistoryEntry, Recorded, SkewMode, VersionKind } from './types'
import { decisive, spoken } from './verdict'
import { compareVersions, parseVersion, releaseNumber, threeParts } from './version'

/** How far a piece of evidence carries. */
export type Sure = 'certain' | 'likely' | 'at-least'

export interface ImageVersion {
  kind: VersionKind
  version: string
  /** Of the OpenShift version only the minor release is known. */
  minorOnly?: true
  /** Of an RHCOS version: how it stands to what the cluster's own release has for its platform. */
  ofRelease?: OfRelease
}

export interface OfRelease {
  stands: 'older' | 'same' | 'newer'
  /** x.y.z; null: not known */
  release: string | null
}

/** What is known about the image one machine set starts machines from. */
export interface DatedImage extends ImageVersion {
  sure: Sure
  /** "names the boot image of 4.22.4", "was written by the operator on 3 November 2024, while the cluster ran 4.16.0" */
  because: string
}

export interface ImageEvidence {
  name: string
  replicas: number
  /** null: nothing tells how old its image is */
  dated: DatedImage | null
  /** A pass comes to it, and leaves it alone without a word. */
  passedOver?: boolean
}

export interface EvidenceItem {
  source: 'recorded' | 'machine-sets' | 'control-plane' | 'oldest-node' | 'install'
  sentence: string
  /** unknown: nothing tells how old it is */
  sure: Sure | 'unknown'
  /** What it tells of an image, to be compared; absent: nothing, and where it was stored before. */
  image?: ImageVersion
}

/** The version that Acknowledge is prefilled with, and why. */
export interface BestEvidence {
  versionKind: VersionKind
  version: string
  why: string
  sure: Sure
}

export interface Evidence {
  items: EvidenceItem[]
  best: BestEvidence | null
}

export interface EvidenceInput {
  mode: SkewMode | null
  recorded: Recorded
  /** Whether spec carries an acknowledged version. */
  acknowledged: boolean
  history: readonly HistoryEntry[] | undefined
  sets: readonly ImageEvidence[]
  /** What the controller says of its last pass; null, or absent: it is in one, or says nothing. */
  pass?: Pick<PassCounts, 'skipped' | 'degraded'> | null
  /** ConfigMap releaseVersion as x.y.z, where it is a release: what a clean pass records. */
  streamVersion?: string | null
}

/** Everything that Kubernetes tells about the oldest boot image in use: per-node images are in no API object. */
export function skewEvidence(input: EvidenceInput): Evidence {
  const items: EvidenceItem[] = []
  const counts = decisive(input.recorded)
  if (counts && input.mode !== 'None')
    items.push({
      source: 'recorded',
      ...recordedItem(input),
    })
  for (const set of oldestFirst(input.sets)) items.push(setItem(set))
  const install = installVersion(input.history)
  if (install !== '0.0.0')
    items.push({
      source: 'install',
      sentence: `The cluster was installed with ${install}: an image that came with it is no older.`,
      sure: 'at-least',
      image: { kind: 'OCPVersion', version: install },
    })
  return { items, best: bestOf(input.sets, install) }
}

/**
 * In Automatic only a pass that neither fails nor skips a set records what was found. Until there was one, and after one that skips,
 * it is the version of the installation, as in Manual.
 */
function recordedItem(input: EvidenceInput): Pick<EvidenceItem, 'sentence' | 'sure'> {
  const version = spoken(input.recorded)
  const { ocpVersion = '0.0.0' } = input.recorded
  if (input.acknowledged)
    return { sentence: `${version} was acknowledged; nothing verifies an acknowledged version.`, sure: 'likely' }
  const installed = `The operator recorded ${version}, the version that the cluster was installed with`
  if (input.mode !== 'Automatic') return { sentence: `${installed}.`, sure: 'at-least' }
  if (ocpVersion !== '0.0.0' && !releaseNumber(ocpVersion))
    return {
      sentence: `The operator recorded ${version}, which is no release of OpenShift and tells nothing of an image.`,
      sure: 'unknown',
    }
  const { pass = null, streamVersion, recorded } = input
  const clean = pass !== null && pass.skipped === 0 && pass.degraded === 0
  const isInstall = recorded.ocpVersion === installVersion(input.history)
  const passed = !isInstall || (clean && recorded.ocpVersion === streamVersion)
  // A pass that came to no set records the release as well.
  if (passed && input.sets.every(({ passedOver }) => passedOver)) {
    const none = input.sets.length > 0 ? 'passes over every machine set' : 'had no machine set to look at'
    return isInstall
      ? { sentence: `${installed}.`, sure: 'at-least' }
      : { sentence: `The operator ${none}; it records its own release then.`, sure: 'unknown' }
  }
  if (passed) return { sentence: `The operator recorded ${version}.`, sure: 'certain' }
  const why = pass?.skipped
    ? `it falls back to that as long as it skips ${pass.skipped === 1 ? 'a machine set' : `${pass.skipped} machine sets`}`
    : 'it says that until a pass over the machine sets has come through'
  return { sentence: `${installed}: ${why}.`, sure: 'at-least' }
}

function setItem(set: ImageEvidence): EvidenceItem {
  const sentence = set.dated
    ? `${set.name} ${set.dated.because}.`
    : `${set.name} starts machines from an image whose age nothing in the cluster tells.`
  if (!set.dated) return { source: 'machine-sets', sentence, sure: 'unknown' }
  const { kind, version, sure, minorOnly, ofRelease } = set.dated
  const image = { kind, version, ...(minorOnly && { minorOnly }), ...(ofRelease && { ofRelease }) }
  return { source: 'machine-sets', sentence, sure, image }
}

/** The record passes over it, so it is compared with nothing; its own row goes by what is told here. */
export const planeItem = ({ because, sure }: DatedImage): EvidenceItem => ({
  source: 'control-plane',
  sentence: `The control plane’s set ${because}; the operator’s record passes over it.`,
  sure,
})

function bestOf(sets: readonly ImageEvidence[], install: string): BestEvidence | null {
  const dated = oldestFirst(sets).filter((s): s is ImageEvidence & { dated: DatedImage } => s.dated !== null)
  const undated = sets.filter((s) => s.dated === null)
  const oldest = dated[0]
  if (!oldest) {
    if (install === '0.0.0') return null
    const why = sets.length
      ? `No machine set’s image can be dated; the cluster was installed with ${install}, so none is known to be older.`
      : `The cluster was installed with ${install}, and no machine set tells more.`
    return { versionKind: 'OCPVersion', version: install, why, sure: 'at-least' }
  }
  const rest = undated.length
    ? ` ${listed(undated.map((s) => s.name))} could not be dated: check ${undated.length > 1 ? 'them' : 'it'} first.`
    : ''
  const same = dated.every((s) => s.dated.version === oldest.dated.version)
  // Also without a build number, where they name none.
  const named = dated.every((s) => s.dated.because === oldest.dated.because)
    ? oldest.dated.because.replace(/^names /, '')
    : `the image of ${oldest.dated.version}`
  const why =
    same && dated.length > 1 && oldest.dated.sure === 'certain'
      ? `${dated.length === 2 ? 'Both' : `All ${dated.length}`} machine sets that can be dated name ${named}.${rest}`
      : `The oldest image in use: ${oldest.name} ${oldest.dated.because}.${rest}`
  const sure: Sure = undated.length && oldest.dated.sure === 'certain' ? 'likely' : oldest.dated.sure
  return { versionKind: oldest.dated.kind, version: oldest.dated.version, why, sure }
}

/** RHCOS versions carry the OCP minor up to 4.18 ("418.94…"); later ones begin with the RHEL version. */
function comparable(dated: ImageVersion): bigint[] {
  const parsed = [...(parseVersion(dated.version) ?? [])]
  if (dated.kind === 'OCPVersion' || parsed.length === 0) return parsed
  const first = String(parsed[0])
  return carriesMinor(dated.version)
    ? [BigInt(first[0] as string), BigInt(first.slice(1)), 0n, ...parsed]
    : [4n, 19n, 0n, ...parsed]
}

/** Where an image stands in a list: an RHCOS version that is not older than the release’s comes after that release. */
function place(dated: ImageVersion): bigint[] {
  const { stands, release } = dated.ofRelease ?? {}
  const from = release && stands !== 'older' ? parseVersion(release) : undefined
  return from ? [...from, ...(parseVersion(dated.version) ?? [])] : comparable(dated)
}

/** Of two images of one day the later build is the newer one: 1 of "9.8.20260714-1". */
const build = (rhcos: string): bigint => BigInt(/^[0-9]+(?:\.[0-9]+)+-([0-9]{1,9})(?![0-9])/.exec(rhcos)?.[1] ?? 0)

/** How an RHCOS version stands to those that a release has, by architecture or offer: to all of them, or not told. */
export function standsToRelease(version: string, wanted: readonly string[]): OfRelease['stands'] | undefined {
  const at = (one: string): bigint[] => [...comparable({ kind: 'RHCOSVersion', version: one }), build(one)]
  if (!parseVersion(version) || wanted.length === 0) return undefined
  const orders = wanted.map((one) => compareVersions(at(version), at(one)))
  if (orders.includes(0)) return 'same'
  if (orders.every((order) => order < 0)) return 'older'
  return orders.every((order) => order > 0) ? 'newer' : undefined
}

const carriesMinor = (rhcos: string): boolean => /^4\d\d+\./.test(rhcos)

/**
 * How an image stands to a version. Of two kinds only what is beyond doubt: up to 4.18 RHCOS versions carry the minor release of
 * OpenShift, and one that does not is of a later release.
 */
export function standsTo(image: ImageVersion, than: ImageVersion): 'older' | 'not-older' | 'open' {
  const [a, b] = [comparable(image), comparable(than)]
  if (a.length === 0 || b.length === 0) return 'open'
  const known = byRelease(image, than)
  if (known) return known
  if (image.kind !== than.kind && [image, than].some(isOfNone)) return 'open'
  const order = compareVersions(a.slice(0, 2), b.slice(0, 2))
  if (image.kind === than.kind && !(image.minorOnly && order === 0 && b[2]))
    return compareVersions(a, b) < 0 ? 'older' : 'not-older'
  const [low, high] = [image, than].map((one) => one.kind === 'OCPVersion' || carriesMinor(one.version))
  if (order < 0) return low ? 'older' : 'open'
  return order > 0 && high ? 'not-older' : 'open'
}

/** The release says its version in both ways. */
function byRelease({ ofRelease }: ImageVersion, than: ImageVersion): 'older' | 'not-older' | undefined {
  const [release, other] = [ofRelease?.release, than.version].map((one) => (one ? parseVersion(one) : undefined))
  if (!ofRelease || !release || !other || than.kind !== 'OCPVersion') return undefined
  const order = compareVersions(release, other)
  if (ofRelease.stands === 'older') return order <= 0 ? 'older' : undefined
  return order >= 0 ? 'not-older' : undefined
}

/** Names of the later form begin with 4.19, and with RHEL 9.6: of which release one is that names an older RHEL is not known. */
const isOfNone = ({ kind, version }: ImageVersion): boolean =>
  kind === 'RHCOSVersion' && !carriesMinor(version) && compareVersions(parseVersion(version) ?? [], [9n, 6n]) < 0

export const olderThan = (image: ImageVersion, than: ImageVersion): boolean => standsTo(image, than) === 'older'

function oldestFirst(sets: readonly ImageEvidence[]): ImageEvidence[] {
  return [...sets].sort((a, b) => {
    if (!a.dated || !b.dated) return a.dated ? -1 : b.dated ? 1 : a.name.localeCompare(b.name)
    return compareVersions(place(a.dated), place(b.dated)) || a.name.localeCompare(b.name)
  })
}

/** "a", "a and b", "a, b and 3 more" */
export const listed = (names: readonly string[]): string =>
  names.length < 3 ? names.join(' and ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`

/** The release that a cluster ran at a moment: the newest entry that was completed by then. */
export function releaseAt(
  history: readonly (HistoryEntry & { completionTime?: string | null })[] | undefined,
  at: number,
): string | undefined {
  const entry = history?.find((h) => h.state === 'Completed' && h.completionTime && Date.parse(h.completionTime) <= at)
  return entry?.version ? threeParts(entry.version) : undefined
}
