import { compareVersions, parseVersion } from '../skew/version'

export type UpdateKind = 'patch' | 'minor' | 'other'

/** What a closed ClusterVersion lets through is a patch release of the same minor version; what cannot be read is not. */
export function updateKind(from: string, to: string): UpdateKind {
  const [a, b] = [parseVersion(from), parseVersion(to)]
  if (!a || !b) return 'other'
  const minor = compareVersions(b.slice(0, 2), a.slice(0, 2))
  return minor === 0 ? 'patch' : minor > 0 ? 'minor' : 'other'
}

/** The minor version after this one; 5.0 follows 4.23. */
export function nextMinor(version: string | null): string | null {
  const parsed = version === null ? undefined : parseVersion(version)
  if (!parsed) return null
  const [major = 0n, minor = 0n] = parsed
  return major === 4n && minor === 23n ? '5.0' : `${major}.${minor + 1n}`
}
