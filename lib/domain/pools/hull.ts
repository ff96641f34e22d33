import type { HullCell } from '../hull'
import { UNDER_WAY } from './node-phase'
import type { Phase } from './types'

/** How a node stands in the hull of its pool: it is changed where it stands, one after another. */
export function poolMark(phase: Phase, unavailable: boolean): Pick<HullCell, 'mark' | 'moving'> {
  if (phase === 'degraded') return { mark: 'failed' }
  if (UNDER_WAY.includes(phase)) return { mark: 'in-place', moving: true }
  if (unavailable) return { mark: 'not-ready' }
  if (phase === 'updated') return { mark: 'up-to-date' }
  return { mark: phase === 'paused' ? 'untouched' : 'in-place' }
}
