import { asked, planMoves } from './in-place'
import { drafts, note, planned, sortByAge, startPass, type Draft, type Pass } from './intents'
import { followDeletions, scaleCurrent, scaleOlds } from './scaling'
import type { PlanMode, RolloutPlan, RolloutState, SetPlan } from './types'

function scale(state: RolloutState, mode: PlanMode): Pass {
  const pass = startPass(state, mode)
  scaleCurrent(pass)
  if (state.strategy.type === 'OnDelete') followDeletions(pass)
  else scaleOlds(pass)
  return pass
}

/** Names of the old MachineSets for which CanUpdateMachineSet is asked before this pass can be planned. */
export function questions(state: RolloutState): string[] {
  return asked(scale(state, 'production')).map((old) => old.state.name)
}

/**
 * One pass of the MachineDeployment controller. `canUpdate`: old MachineSets for which the updater said yes; everything
 * that it was asked for (see `questions`) and is not in there is replaced.
 */
export function planRollout(
  state: RolloutState,
  canUpdate: ReadonlySet<string> = new Set(),
  mode: PlanMode = 'production',
): RolloutPlan {
  const pass = scale(state, mode)
  planMoves(pass, canUpdate)
  if (state.strategy.type === 'RollingUpdate') breakDeadlock(pass)
  return {
    current: result(pass.current, false),
    olds: sortByAge(pass.olds).map((old) => result(old, state.strategy.type === 'OnDelete')),
  }
}

/** Nothing can move because an old machine is unavailable: let one of those go. */
function breakDeadlock(pass: Pass) {
  const { current, olds } = pass
  const sum = (of: (old: Draft) => number) => olds.reduce((n, old) => n + of(old), 0)
  const there = sum((old) => old.state.status)
  if (there === 0 || there === sum((old) => old.state.available)) return
  if (drafts(pass).some((set) => set.spec !== set.state.status || set.intent !== undefined)) return
  if (current.state.available !== current.state.status) return
  const stuck = olds.find((old) => old.state.available !== old.state.status && old.spec > 0)
  if (!stuck) return
  stuck.intent = stuck.spec - 1
  note(current, 'scaling down by 1 to unblock rollout stuck due to unavailable Machine on oldMS')
}

function result(set: Draft, disableMachineCreate: boolean): SetPlan {
  return {
    name: set.state.name,
    from: set.state.spec,
    replicas: planned(set),
    moveTo: set.moveTo,
    receiveFrom: set.receiveFrom,
    acknowledged: set.acknowledged,
    disableMachineCreate,
    revision: set.revision,
    notes: set.notes,
  }
}
