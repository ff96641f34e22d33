import type { SkewMode, VersionKind } from './types'
import { compareVersions, minorOf, parseVersion } from './version'

/** The oldest boot image that a release accepts. No API publishes it: it is compiled into the Machine Config Operator. */
export interface Floor {
  ocp: string
  rhel: string
  /** table: read from that release; newer: the newest known before it, for one that nobody read; cluster: quoted by its operator */
  source: 'table' | 'newer' | 'cluster'
  /** In which kind of version it may be higher: nobody has read that release, and its operator has not quoted it. */
  unsure?: readonly VersionKind[]
}

/** What an operator has quoted of its floor. */
export interface Quoted {
  /** The newest release that it was on its way to then. */
  release: string | null
  ocp?: string
  rhel?: string
  /** Quoted before that was complete: by its operator, or still by the one of the release before. */
  early?: true
}

/** First release that enforces, then one entry per minor release whose operator was read. */
const FLOORS: readonly { release: string; ocp: string; rhel: string }[] = [
  { release: '4.22', ocp: '4.13.0', rhel: '9.2' },
  { release: '4.23', ocp: '4.13.0', rhel: '9.2' },
  { release: '5.0', ocp: '4.13.0', rhel: '9.2' },
  { release: '5.1', ocp: '4.13.0', rhel: '9.2' },
]

const newest = FLOORS[FLOORS.length - 1] as (typeof FLOORS)[number]

/** The floor of the newest release that was read, for clusters whose own release has none. The function boot_image_told has it too: another one takes a migration. */
export const FLOOR_NOW: Floor = { ocp: newest.ocp, rhel: newest.rhel, source: 'table' }

/** The floor of a release, or null where that release does not enforce one. An unreadable release gets the newest known. */
export function floorOf(release: string | null | undefined): Floor | null {
  const version = release ? parseVersion(release) : undefined
  if (!version) return guessed(newest)
  const minor = version.slice(0, 2)
  const at = FLOORS.filter((f) => compareVersions(parseVersion(f.release)!, minor) <= 0).at(-1)
  if (!at) return null
  const exact = compareVersions(parseVersion(at.release)!, minor) === 0
  return exact ? { ocp: at.ocp, rhel: at.rhel, source: 'table' } : guessed(at)
}

const KINDS: readonly VersionKind[] = ['OCPVersion', 'RHCOSVersion']
const guessed = ({ ocp, rhel }: { ocp: string; rhel: string }): Floor => ({ ocp, rhel, source: 'newer', unsure: KINDS })

/**
 * The floor of a cluster by what it runs, or where its operator already enforces one, by what it is on its way to: the operator
 * of the release to come is at work before that release is complete.
 */
export function floorInForce(
  runs: string | null | undefined,
  newest: string | undefined,
  mode: SkewMode | null,
): Floor | null {
  const floor = floorOf(runs)
  if (floor || mode === null) return floor
  return floorOf(newest) ?? guessed(FLOORS[0] as (typeof FLOORS)[number])
}

/** Nothing tells that what is not below it is in range. */
export const isUnsure = (floor: Floor, kind: VersionKind): boolean => floor.unsure?.includes(kind) ?? false

/**
 * What the ClusterOperator's message quotes now, or quoted before: another reason hides it, and the floor stays. What the operator of
 * a release to come quotes holds when that is complete; what one of a release before quoted does not.
 */
export function quotedFloor(
  before: Quoted | null,
  message: string | undefined,
  { runs, newest }: { runs: string | null; newest: string | undefined },
): Quoted | null {
  const past = before && !isPast(before.release, runs) ? before : null
  // Also where an older Drydock kept it, which did not say so.
  const kept = past && isPast(runs, past.release) ? { ...past, early: true as const } : past
  const ocp = /below the minimum required version (\d+\.\d+\.\d+)/.exec(message ?? '')?.[1]
  const rhel = /below the minimum required RHEL version (\d+\.\d+)/.exec(message ?? '')?.[1]
  if (!ocp && !rhel) return kept
  const release = newest ?? runs
  const early = runs !== null && !isSameMinor(release, runs)
  // What another release quoted of the other kind is no word of this one.
  const other = kept && isSameMinor(kept.release, release) && (kept.early ?? false) === early ? kept : null
  return { ...other, release, ...(ocp && { ocp }), ...(rhel && { rhel }), ...(early && { early }) }
}

const isSameMinor = (a: string | null, b: string | null): boolean => minorOf(a ?? '') === minorOf(b ?? '')

/** Floors are of minor releases. */
function isPast(release: string | null, runs: string | null): boolean {
  const [then, now] = [release, runs].map((version) => (version ? parseVersion(version)?.slice(0, 2) : undefined))
  return !!then && !!now && compareVersions(now, then) > 0
}

/** The floor that the operator quotes wins over the table: the cluster knows its own. Where it is another, so may be the other kind's. */
export function floorAsQuoted(floor: Floor, quoted: Quoted | null): Floor {
  if (!quoted) return floor
  const told = { ocp: quoted.ocp ?? floor.ocp, rhel: quoted.rhel ?? floor.rhel }
  const isOther = told.ocp !== floor.ocp || told.rhel !== floor.rhel
  const open = isOther ? KINDS : (floor.unsure ?? [])
  const unsure = open.filter((kind) => quoted.early || !(kind === 'OCPVersion' ? quoted.ocp : quoted.rhel))
  return { ...told, source: 'cluster', ...(unsure.length > 0 && { unsure }) }
}
