import type { SkewMode } from './types'
import { compareVersions, parseVersion } from './version'

/** The oldest boot image that a release accepts. No API publishes it: it is compiled into the Machine Config Operator. */
export interface Floor {
  ocp: string
  rhel: string
  /** table: read from that release; newer: the newest known, for a release that is newer still; cluster: quoted by its operator */
  source: 'table' | 'newer' | 'cluster'
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
  if (!version) return { ocp: newest.ocp, rhel: newest.rhel, source: 'newer' }
  const minor = version.slice(0, 2)
  const at = FLOORS.filter((f) => compareVersions(parseVersion(f.release)!, minor) <= 0).at(-1)
  if (!at) return null
  const exact = FLOORS.some((f) => compareVersions(parseVersion(f.release)!, minor) === 0)
  return { ocp: at.ocp, rhel: at.rhel, source: exact || at !== newest ? 'table' : 'newer' }
}

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
  const { ocp, rhel } = FLOORS[0] as (typeof FLOORS)[number]
  return floorOf(newest) ?? { ocp, rhel, source: 'newer' }
}

/** The floor that the ClusterOperator's message quotes wins over the table: the cluster knows its own operator. */
export function floorFromMessage(floor: Floor, message: string | undefined): Floor {
  const ocp = /below the minimum required version (\d+\.\d+\.\d+)/.exec(message ?? '')?.[1]
  if (ocp) return { ...floor, ocp, source: 'cluster' }
  const rhel = /below the minimum required RHEL version (\d+\.\d+)/.exec(message ?? '')?.[1]
  return rhel ? { ...floor, rhel, source: 'cluster' } : floor
}
