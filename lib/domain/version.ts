/** "v1.34.2-rc.1+k3s1" as a text that sorts like the version: "000001.000034.000002". Null for what is no version. */
export function versionKey(version: string | null | undefined): string | null {
  const match = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/.exec(version ?? '')
  if (!match) return null
  return [match[1]!, match[2]!, match[3] ?? '0'].map((part) => part.padStart(6, '0')).join('.')
}

/** The lowest of some versions, as upstream reports the version of a control plane in the middle of a rollout. */
export function lowestVersion(versions: (string | null | undefined)[]): string | null {
  const known = versions.filter((version): version is string => versionKey(version) !== null)
  return known.sort((a, b) => (versionKey(a)! < versionKey(b)! ? -1 : 1))[0] ?? null
}
