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
  revision?: number
  notes: string[]
}

export interface Pass {
  state: RolloutState
  current: Draft
  /** Largest first, until scaling them sorts them by age. */
  olds: Draft<OldSetState>[]
}

const NONE: Pick<SetState, 'moveTo' | 'receiveFrom' | 'acknowledged'> = {}

function draft<S extends SetState>(state: S, mode: PlanMode): Draft<S> {
  const { spec, revision } = state
  const { moveTo, receiveFrom, acknowledged } = mode === 'harness' ? state : NONE
  return { state, spec, intent: undefined, moveTo, receiveFrom, acknowledged, revision, notes: [] }
}

const byName = (a: SetState, b: SetState) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
const byAge = (a: SetState, b: SetState) => a.createdAt - b.createdAt || byName(a, b)
/** As mdutil.FindNewAndOldMachineSets leaves them: discarded duplicates last. */
const asFound = (a: OldSetState, b: OldSetState) =>
  Number(a.discarded ?? false) - Number(b.discarded ?? false) || b.spec - a.spec || byAge(a, b)

export const sortByAge = (olds: Draft<OldSetState>[]) => olds.sort((a, b) => byAge(a.state, b.state))

/** A reason is given once, however many rules come to it. */
export function note(set: Draft, text: string) {
  if (!set.notes.includes(text)) set.notes.push(text)
}

export function startPass(state: RolloutState, mode: PlanMode): Pass {
  const pass: Pass = {
    state,
    current: draft(state.current, mode),
    olds: [...state.olds].sort(asFound).map((old) => draft(old, mode)),
  }
  setRevision(pass)
  if (state.inPlaceUpdates && state.strategy.type === 'RollingUpdate') acknowledgeMoves(pass)
  return pass
}

export const drafts = (pass: Pass): Draft[] => [pass.current, ...pass.olds]

/** What the set will want after this pass, as far as it is planned. */
export const planned = (set: Draft) => set.intent ?? set.spec

/** Machines that exist or are asked for, whichever is more: what surge is counted in. */
export const total = (sets: Draft[]) => sets.reduce((sum, set) => sum + Math.max(set.spec, set.state.status), 0)

/** The current set has the highest revision; one that was there before takes the next number. */
function setRevision({ state, current, olds }: Pass) {
  const next = olds.reduce((highest, old) => Math.max(highest, old.state.revision ?? 0), 0) + 1
  current.revision = Math.max(next, state.current.revision ?? 0)
  if (!state.creates && current.revision !== state.current.revision) note(current, 'this is now the current MachineSet')
}

/** Machines that came from old sets are counted in the current set's replicas exactly once. */
function acknowledgeMoves({ state, current }: Pass) {
  const pending = [...state.pendingMoves].sort()
  if (pending.length === 0) return
  const known = new Set(state.current.acknowledged)
  const fresh = pending.filter((name) => !known.has(name))
  current.acknowledged = pending
  if (fresh.length === 0) return
  current.spec += fresh.length
  note(current, `acknowledge Machines ${pending.join(',')} moved from an old MachineSet`)
}
