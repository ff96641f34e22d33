import type { Faults } from '../types'

export interface FaultState {
  reset: boolean
  slowMs: number
  code: number
  truncate: boolean
  silence: boolean
}

/** The switches, and what has to happen at once when they are thrown. */
export function createFaults(on: { gone(): void; reset(): void }): { faults: Faults; state: FaultState } {
  const state: FaultState = { reset: false, slowMs: 0, code: 0, truncate: false, silence: false }
  const faults: Faults = {
    gone: on.gone,
    reset(active) {
      state.reset = active
      if (active) on.reset()
    },
    slow(ms) {
      state.slowMs = ms
    },
    fail(code) {
      state.code = code
    },
    truncate(active) {
      state.truncate = active
    },
    silence(active) {
      state.silence = active
    },
  }
  return { faults, state }
}
