import type { Floor } from './floors'
import type { VersionKind } from './types'
import { standing } from './verdict'
import { compareVersions, minorInRhcos, minorOf, parseVersion } from './version'

const RULES = {
  OCPVersion: {
    min: 5,
    max: 10,
    pattern: /^[0-9]+\.[0-9]+\.[0-9]+$/,
    form: 'An OCP version has the form x.y.z, for example 4.16.0: three numbers, no "v" and no "-rc".',
  },
  RHCOSVersion: {
    min: 14,
    max: 21,
    pattern: /^[0-9]+\.[0-9]+\.([0-9]{8}|[0-9]{12})-[0-9]+$/,
    form: 'An RHCOS version has the form 9.6.20251023-0, or 418.94.202511191518-0 for older releases.',
  },
} as const

const OTHER = {
  OCPVersion: { kind: 'RHCOSVersion', name: 'an RHCOS', choice: 'RHCOS' },
  RHCOSVersion: { kind: 'OCPVersion', name: 'an OCP', choice: 'OCP' },
} as const

/** What the API server would refuse, as one sentence that says what to type; undefined: it would store it. */
export function versionProblem(kind: VersionKind, version: string): string | undefined {
  const { min, max, pattern, form } = RULES[kind]
  const bytes = new TextEncoder().encode(version).length
  if (!version) return form
  const other = OTHER[kind]
  const there = RULES[other.kind]
  if (!pattern.test(version) && there.pattern.test(version) && bytes >= there.min && bytes <= there.max)
    return `That is ${other.name} version: choose “${other.choice} version” for it. ${form}`
  if (bytes > max) return `That is ${bytes} characters long and at most ${max} are accepted. ${form}`
  if (bytes < min) return `That is too short: at least ${min} characters are needed. ${form}`
  return pattern.test(version) ? undefined : form
}

export interface Plausibility {
  floor: Floor
  /** The cluster's own version. */
  release: string | null
  /** RHCOS release of the cluster's own boot image stream, where it is known. */
  streamRelease?: string | null
  /** Milliseconds; a date in an RHCOS version that lies after it is from the future. */
  now: number
  /** Boot images keep nothing closed now. */
  open: boolean
}

/** The API server stores nonsense without a word; these are said before it is sent. */
export function versionWarnings(kind: VersionKind, version: string, about: Plausibility): string[] {
  if (versionProblem(kind, version)) return []
  const recorded = kind === 'OCPVersion' ? { ocpVersion: version } : { rhcosVersion: version }
  const warnings: string[] = []
  const where = standing(recorded, about.floor)
  const closes = about.open ? closesUpdates(kind, version, about) : null
  if (closes) warnings.push(closes)
  else if (where === 'below')
    warnings.push(
      `${version} is below the floor ${kind === 'OCPVersion' ? about.floor.ocp : `RHEL ${about.floor.rhel}`}: updates stay closed.`,
    )
  const hides = unreadable(kind, version)
  if (hides) warnings.push(hides)
  const above = aboveOwnRelease(kind, version, about)
  if (above) warnings.push(above)
  if (kind === 'RHCOSVersion') {
    const day = dayOf(version)
    if (day === undefined) warnings.push(`${version} carries a date that does not exist.`)
    else if (day > about.now) warnings.push(`${version} carries a date in the future.`)
  }
  return warnings
}

/** A version that the API server stores and the operator compares with nothing, as a sentence: recorded only where somebody says so. */
export function unreadable(kind: VersionKind, version: string): string | null {
  if (versionProblem(kind, version)) return null
  const recorded = kind === 'OCPVersion' ? { ocpVersion: version } : { rhcosVersion: version }
  if (standing(recorded, ANY) !== 'unreadable') return null
  return `The operator cannot read ${version}, so it would compare nothing: this hides the limit without meeting it.`
}
const ANY: Floor = { ocp: '0.0.0', rhel: '0.0', source: 'table' }

/** A version that would close what is open now, as a sentence: recorded only where somebody says so. */
export function closesUpdates(
  kind: VersionKind,
  version: string,
  { floor, release }: Pick<Plausibility, 'floor' | 'release'>,
): string | null {
  if (versionProblem(kind, version)) return null
  const recorded = kind === 'OCPVersion' ? { ocpVersion: version } : { rhcosVersion: version }
  if (standing(recorded, floor) !== 'below') return null
  const limit = kind === 'OCPVersion' ? floor.ocp : `RHEL ${floor.rhel}`
  const minor = (release && minorOf(release)) || 'this minor version'
  return `${version} is below the floor ${limit}: this closes updates beyond ${minor}, which boot images do not close now.`
}

/** A version that no machine of the cluster can have started from, as a sentence: recorded only where somebody says so. */
export function aboveOwnRelease(
  kind: VersionKind,
  version: string,
  about: Pick<Plausibility, 'release' | 'streamRelease'>,
): string | null {
  if (versionProblem(kind, version)) return null
  if (kind === 'OCPVersion')
    return newer(version, about.release)
      ? `${version} is newer than the cluster itself (${about.release}): no machine can have started from it.`
      : null
  const minor = minorInRhcos(version)
  if (minor && newer(minor, about.release && (minorOf(about.release) ?? null)))
    return `${version} is of OpenShift ${minor}, which is newer than the cluster itself (${about.release}): no machine can have started from it.`
  return newerRhcos(version, about.streamRelease ?? null)
    ? `${version} is newer than the boot image of the cluster’s own release (${about.streamRelease}).`
    : null
}

function newer(version: string, than: string | null): boolean {
  const [a, b] = [parseVersion(version), than ? parseVersion(than) : undefined]
  return !!a && !!b && compareVersions(a, b) > 0
}

/** What is of the older form is older than all of the later one, which begins with 4.19 and says RHEL’s version. */
function newerRhcos(version: string, than: string | null): boolean {
  const forms = [version, than ?? ''].map((one) => minorInRhcos(one) !== undefined)
  return forms[0] === forms[1] ? newer(version, than) : forms[1] === true
}

function dayOf(rhcos: string): number | undefined {
  const [, year, month, day] = /^[0-9]+\.[0-9]+\.([0-9]{4})([0-9]{2})([0-9]{2})/.exec(rhcos) ?? []
  const at = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  return Number.isNaN(at) || new Date(at).getUTCDate() !== Number(day) ? undefined : at
}
