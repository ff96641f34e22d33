/** Version numbers as the Machine Config Operator reads them; what it cannot read, it does not block. */
export type Parsed = readonly bigint[]

const LIMIT = 2n ** 64n

/** "4.12.7", also "v4.12", "4.12.0-rc.1" and " 4.12.0.1": at least two numbers, none past 64 bits, no zero in front of the first, nothing in a second line. */
export function parseVersion(text: string): Parsed | undefined {
  const numbers = /^[ \t\n\f\r]*v?([0-9]+(?:\.[0-9]+)*)[^\n]*$/.exec(text)?.[1]
  const parts = numbers?.split('.') ?? []
  if (parts.length < 2 || /^0./.test(parts[0] as string)) return undefined
  const parsed = parts.map((part) => BigInt(part))
  return parsed.every((n) => n < LIMIT) ? parsed : undefined
}

/** Negative, zero or positive; missing parts count as zero. */
export function compareVersions(a: Parsed, b: Parsed): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i] ?? 0n, b[i] ?? 0n]
    if (x !== y) return x < y ? -1 : 1
  }
  return 0
}

/** x.y.z of a version, without a pre-release part, or undefined where it cannot be read. */
export function threeParts(text: string): string | undefined {
  const parsed = parseVersion(text)
  return parsed && [0, 1, 2].map((i) => parsed[i] ?? 0n).join('.')
}

/** x.y.z of a release of OpenShift, or undefined: a payload without one carries "0.0.1-snapshot". */
export function releaseNumber(text: string): string | undefined {
  const version = threeParts(text)
  return version && !below(version, '4.0.0') ? version : undefined
}

/** "4.22" of "4.22.3". */
export function minorOf(text: string): string | undefined {
  const parsed = parseVersion(text)
  return parsed && `${parsed[0]}.${parsed[1]}`
}

/**
 * The RHEL version in an RHCOS version: "9.6.20251023-0" is RHEL 9.6; in the older form "411.86.202308081056-0" the second
 * number is RHEL without its dot, 8.6. The date's length tells the forms apart.
 */
export function rhelOf(rhcos: string): string | undefined {
  const [first = '', second = '', rest] = rhcos.split('.')
  const digits = new TextEncoder().encode(rest?.split('-')[0]).length
  const rhel =
    digits === 8 ? `${first}.${second}` : digits === 12 && second.length > 1 ? `${second[0]}.${second.slice(1)}` : ''
  return parseVersion(rhel) && rhel
}

/** The release of OpenShift in an RHCOS version of the older form: 4.18 of "418.94.202511191518-0"; later ones say none. */
export function minorInRhcos(rhcos: string): string | undefined {
  const [, major, minor] = /^([4-9])(\d{1,3})\.\d+\.\d{12}(?!\d)/.exec(rhcos) ?? []
  return minor && `${major}.${Number(minor)}`
}

/** Whether `version` is below `floor`; unreadable versions are not below anything. */
export function below(version: string | undefined, floor: string): boolean {
  const [a, b] = [version === undefined ? undefined : parseVersion(version), parseVersion(floor)]
  return a !== undefined && b !== undefined && compareVersions(a, b) < 0
}
