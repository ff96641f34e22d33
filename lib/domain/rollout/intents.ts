import type { OldSetState, PlanMode, RolloutState, SetState } from './types'

/** A MachineSet while one pass plans it. */
export interface Draft<S extends SetState = SetState> {
  state: S
  /** spec.replicas, raised by acknowledged moves */
  spec: number
  intent?: number
  moveTo?: string
  receiveFrom?: string[]
  acknowledged?: string[]
  notes: string[]
}

export interface Pass {
  state: RolloutState
  current: Draft
  /** Oldest first. */
  olds: Draft<OldSetState>[]
}

function draft<S extends SetState>(state: S, mode: PlanMode): Draft<S> {
  const kept =
    mode === 'harness' ? { moveTo: state.moveTo, receiveFrom: state.receiveFrom, acknowledged: state.acknowledged } : {}
  return { state, spec: state.spec, notes: [], ...kept }
}

export function startPass(state: RolloutState, mode: PlanMode): Pass {
  const byAge = (a: SetState, b: SetState) =>
    a.createdAt - b.createdAt || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  const pass: Pass = {
    state,
    current: draft(state.current, mode),
    olds: [...state.olds].sort(byAge).map((old) => draft(old, mode)),
  }
  acknowledgeMoves(pass)
  return pass
}

export const drafts = (pass: Pass): Draft[] => [pass.current, ...pass.olds]

/** What the set will want after this pass, as far as it is planned. */
export const planned = (set: Draft) => set.intent ?? set.spec

/** Machines that exist or are asked for, whichever is more: what surge is counted in. */
export const total = (sets: Draft[], replicas: (set: Draft) => number) =>
  sets.reduce((sum, set) => sum + Math.max(replicas(set), set.state.status), 0)

/** Machines that came from old sets are counted in the current set's replicas exactly once. */
function acknowledgeMoves({ state, current }: Pass) {
  const pending = [...state.pendingMoves].sort()
  if (pending.length === 0) return
  const fresh = pending.filter((name) => !state.current.acknowledged?.includes(name))
  current.acknowledged = pending
  if (fresh.length === 0) return
  current.spec += fresh.length
  current.notes.push(`acknowledge Machines ${fresh.join(',')} moved from an old MachineSet`)
}
