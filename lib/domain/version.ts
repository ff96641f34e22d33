/**
 * "v1.34.2" as a text that sorts, byte by byte, as versions do: "000001.000034.000002~". Before it come its pre-releases,
 * "000001.000034.000002-…"; what follows a plus sign orders nothing. Null for what is no version.
 */
export function versionKey(version: string | null | undefined): string | null {
  const match = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:-([0-9A-Za-z.-]+))?/.exec(version ?? '')
  if (!match) return null
  const numbers = [match[1]!, match[2]!, match[3] ?? '0'].map((part) => part.padStart(6, '0')).join('.')
  return match[4] ? `${numbers}-${match[4].split('.').map(identifier).join(' ')}` : `${numbers}~`
}

/** Numbers before words, and numbers by their value; the space between two sorts before all that they are made of. */
function identifier(text: string): string {
  if (!/^\d+$/.test(text)) return `w${text}`
  const digits = text.replace(/^0+(?=\d)/, '')
  return `n${String(digits.length).padStart(3, '0')}${digits}`
}

/** The key without what tells a release from its pre-releases: how all of them begin, and none before them. */
export const releaseKey = (key: string): string => key.replace(/[-~].*$/, '')
export const isPrerelease = (key: string): boolean => key.includes('-')

/** The lowest of some versions, as upstream reports the version of a control plane in the middle of a rollout. */
export function lowestVersion(versions: (string | null | undefined)[]): string | null {
  const known = versions.filter((version): version is string => versionKey(version) !== null)
  return known.sort((a, b) => (versionKey(a)! < versionKey(b)! ? -1 : 1))[0] ?? null
}

/** "v1.34" of "v1.34.2": what Kubernetes says of versions that go together asks for no more; null for what is no version. */
export function minorOf(version: string | null | undefined): string | null {
  const match = /^v?(\d+)\.(\d+)/.exec(version ?? '')
  return match && `v${Number(match[1])}.${Number(match[2])}`
}

/**
 * What a step down means, in one sentence; null: it goes up, or nothing is known of it. Patch releases may go down. `kind`: of a pool of
 * OpenShift it is about releases. `over`: it went.
 */
export function downWords(from: string | null, to: string | null, { kind = '', over = false } = {}): string | null {
  const [a, b] = [from, to].map((version) => versionKey(version)?.slice(0, 13))
  if (!a || !b || b >= a) return null
  const why =
    kind === 'MachineConfigPool'
      ? 'OpenShift does not support going back to an older minor release.'
      : 'Cluster API does not refuse that, and Kubernetes does not support it.'
  return `It ${over ? 'went' : 'goes'} down, from ${from} to ${to}: ${why}`
}
