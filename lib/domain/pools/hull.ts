import type { HullCell } from '../hull'
import { UNDER_WAY } from './node-phase'
import type { Standing } from './progress'
import type { Phase } from './types'

const AS_WANTED = { now: 'up-to-date', before: 'in-place', untold: 'unknown' } as const

/** How a node stands in the hull of its pool: it is changed where it stands, one after another. */
export function poolMark(
  phase: Phase,
  unavailable: boolean,
  standing: Standing,
  stuck: boolean,
): Pick<HullCell, 'mark' | 'moving'> {
  if (phase === 'degraded') return { mark: 'failed' }
  if (stuck) return { mark: 'failed', moving: true }
  if (UNDER_WAY.includes(phase)) return { mark: 'in-place', moving: true }
  if (unavailable) return { mark: 'not-ready' }
  if (phase === 'updated') return { mark: AS_WANTED[standing] }
  return { mark: phase === 'paused' ? 'untouched' : 'in-place' }
}
