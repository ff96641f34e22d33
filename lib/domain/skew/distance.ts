import { isUnsure, type Floor } from './floors'
import type { Recorded } from './types'
import { decisive } from './verdict'
import { parseVersion, rhelOf } from './version'

/** How many minor releases lie between what is recorded and the floor. */
export interface Distance {
  /** Negative: below the floor; 0: the floor's own minor release, or a patch below it. */
  minors: number
  of: 'OpenShift' | 'RHEL'
}

/** 5.0 follows 4.23. */
const LAST_OF_4 = 23
/** Each RHEL from 8 on has minor releases 0 to 10. */
const RHEL_MINORS = 11

/** Minor releases of OpenShift in a row: 5.0 follows 4.23. Undefined: no version. */
function releasePlace(version: string): number | undefined {
  const [major, minor] = (parseVersion(version) ?? []).map(Number)
  if (major === undefined || minor === undefined) return undefined
  return major >= 5 ? LAST_OF_4 + 1 + (major - 5) * 12 + minor : minor + (major - 4) * 12
}

function rhelPlace(version: string): number | undefined {
  const [major, minor] = (parseVersion(version) ?? []).map(Number)
  return major === undefined || minor === undefined ? undefined : major * RHEL_MINORS + minor
}

/** How far above or below the floor the version lies that counts; null: there is none, or it cannot be placed. */
export function distanceFrom(recorded: Recorded, floor: Floor | null): Distance | null {
  const counts = decisive(recorded)
  if (!counts || !floor || counts.version === '0.0.0' || isUnsure(floor, counts.kind)) return null
  const ocp = counts.kind === 'OCPVersion'
  const rhel = ocp ? undefined : rhelOf(counts.version)
  const [at, limit] = ocp
    ? [releasePlace(counts.version), releasePlace(floor.ocp)]
    : [rhel === undefined ? undefined : rhelPlace(rhel), rhelPlace(floor.rhel)]
  if (at === undefined || limit === undefined) return null
  return { minors: at - limit, of: ocp ? 'OpenShift' : 'RHEL' }
}

/** "2 OpenShift minor releases above the floor"; empty where nothing can be said. */
export function distanceInWords(distance: Distance | null): string {
  if (!distance) return ''
  const n = Math.abs(distance.minors)
  if (n === 0) return `at the floor’s own ${distance.of} minor release`
  return `${n} ${distance.of} minor ${n === 1 ? 'release' : 'releases'} ${distance.minors < 0 ? 'below' : 'above'} the floor`
}
