import { mayBeReplaced } from '@/lib/domain/boot-images/may-be-replaced'
import { isPublished, isSureByName, versionInName } from '@/lib/domain/boot-images/version-in-name'
import type { Stream } from '@/lib/domain/boot-images/stream'
import type { BootImage } from '@/lib/domain/boot-images/types'
import { olderThan, releaseAt, standsToRelease, type DatedImage, type Sure } from '@/lib/domain/skew/evidence'
import { installVersion } from '@/lib/domain/skew/effective'
import { compareVersions, minorOf, parseVersion, releaseNumber, threeParts } from '@/lib/domain/skew/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import { imageName } from './image-name'
import { at } from './loose'
import type { ClusterVersionFacts } from './readers'
import { otherArch, type ReleaseImages } from './release-images'

const OPERATOR = 'machine-config-controller'
const RHCOS = 'RHCOS '
const OWNED_WHOLE = ['f:disks', 'f:template']
const OWNED_IN_PARTS = ['f:ami', 'f:image']
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** How old the image of a set can be told to be: by equality with the release, by its own name, or by who wrote it when. `arch`: of its machines. */
export function dateImage(
  set: KubeObject,
  image: BootImage,
  arch: string | null,
  wanted: ReleaseImages,
  version: ClusterVersionFacts,
  platform: string,
  oldestMachines?: ReadonlyMap<string, number>,
): DatedImage | null {
  const release = releaseNumber(wanted.version ?? '')
  // What the operator leaves alone is not compared with the release’s, and may be it.
  const ofRelease = arch !== null && image.current !== null && wanted.names.get(arch)?.includes(image.current)
  // Also of another architecture: that tells its age, and nothing boots from it.
  const other = otherArch(image.current, arch, wanted)
  const ofOther = other !== null && wanted.names.get(other)?.includes(image.current ?? '')
  if ((image.state === 'current' || ofRelease || ofOther) && release) {
    const because = ofOther ? `names the ${other} boot image of ${release}` : `names the boot image of ${release}`
    return { kind: 'OCPVersion', version: release, sure: 'certain', because }
  }
  const named = image.rhcos ? `RHCOS ${image.rhcos}` : versionInName(image.current, platform)
  if (named?.startsWith(RHCOS)) {
    const version = named.slice(RHCOS.length)
    const spelt = image.current?.includes(version.replaceAll('.', '-')) || image.current?.includes(version)
    const as = image.rhcos || spelt ? named : `${named.replace(/-0$/, '')}, without its build number`
    const stands = standsToRelease(version, wanted.rhcos)
    const sure: Sure = isSureByName(image.current ?? '', platform) ? 'certain' : 'likely'
    const because = isPublished(image.current ?? '', platform)
      ? `names the image of ${as}`
      : `has an image of another publisher that is called as ${as}`
    return {
      ...{ kind: 'RHCOSVersion', version, sure, because },
      ...(stands && { ofRelease: { stands, release: release ?? null } }),
    }
  }
  // Names that say a version of OpenShift say its minor release, and a date.
  if (named)
    return {
      ...{ kind: 'OCPVersion', version: named, minorOnly: true, sure: 'likely' },
      because: `names an image of ${minorOf(named)}`,
    }
  // A template of vSphere is replaced under its own name, and so is what is behind an address: who wrote that, and which machines were
  // made from it, tells nothing of the image.
  if (image.state === 'custom' || !image.current || mayBeReplaced(platform)) return null
  const written = byWriter(set, version)
  const madeAt = oldestMachines?.get(imageName(image.current))
  return written && madeAt !== undefined ? noNewer(written, madeAt, version) : written
}

/** An image is no newer than the first machine that was made from it. */
function noNewer(dated: DatedImage, madeAt: number, { history }: ClusterVersionFacts): DatedImage {
  const ran = releaseAt(history, madeAt) ?? installVersion(history)
  const dating = { kind: 'OCPVersion', version: ran } as const
  if (ran === '0.0.0' || !olderThan({ ...dated, ...dating }, dated)) return dated
  return {
    ...dating,
    sure: 'likely',
    because: `has an image from which a machine was made by ${day.format(madeAt)}, while the cluster ran ${ran}`,
  }
}

/** By who wrote the image into the set, and when. */
function byWriter(set: KubeObject, version: ClusterVersionFacts): DatedImage | null {
  const writer = imageWriter(set)
  if (writer?.manager === OPERATOR) {
    const ran = releaseAt(version.history, writer.at)
    // Under the present release the operator would have written this release's image: it wrote something else of the set.
    if (ran && ran !== threeParts(version.version ?? ''))
      return {
        kind: 'OCPVersion',
        version: ran,
        sure: 'likely',
        because: `has an image that the operator wrote by ${day.format(writer.at)}, while the cluster ran ${ran}`,
      }
  }
  const installed = version.history.at(-1)?.completionTime
  const install = installVersion(version.history)
  if (writer && installed && install !== '0.0.0' && writer.at <= Date.parse(installed))
    return {
      kind: 'OCPVersion',
      version: install,
      sure: 'likely',
      because: `still has the image it was installed with, from ${install}`,
    }
  return null
}

/**
 * Field manager that wrote the image, the newest of several, and when it last wrote anything: an upper bound for the image's age. Who
 * wrote over an image leaves the parent to whom it was, but nothing in it.
 */
function imageWriter(set: KubeObject): { manager: string; at: number } | null {
  const spec = ['f:spec', 'f:template', 'f:spec', 'f:providerSpec', 'f:value']
  const plane = ['f:spec', 'f:template', 'f:machines_v1beta1_machine_openshift_io', ...spec.slice(2)]
  const writers = (set.metadata.managedFields ?? []).flatMap(({ manager, time, fieldsV1 }) => {
    const fields = at(fieldsV1, ...(set.kind === 'ControlPlaneMachineSet' ? plane : spec))
    return manager && time && ownsImage(fields) ? [{ manager, at: Date.parse(time) }] : []
  })
  return writers.sort((a, b) => b.at - a.at)[0] ?? null
}

/** A template's name and a list of disks are owned as one, an image by its parts. */
const ownsImage = (fields: unknown): boolean =>
  OWNED_WHOLE.some((field) => at(fields, field) !== undefined) ||
  OWNED_IN_PARTS.some((field) => Object.keys(at(fields, field) ?? {}).some((key) => key !== '.'))

/** Newest RHCOS release that the stream names, for saying that a typed version lies beyond it. */
export const streamRelease = (stream: Stream | undefined): string | null =>
  Object.values(stream?.architectures ?? {})
    .flatMap((arch) => Object.values(arch?.artifacts ?? {}).map((a) => a.release))
    .filter(Boolean)
    .sort((a, b) => compareVersions(parseVersion(a) ?? [], parseVersion(b) ?? []))
    .at(-1) ?? null
