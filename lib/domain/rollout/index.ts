export {
  planControlPlane,
  type ControlPlaneMachine,
  type ControlPlaneState,
  type ControlPlaneStep,
} from './control-plane'
export { domainForNew } from './failure-domains'
export { fenceposts, scaled, type Fenceposts } from './fenceposts'
export {
  excess,
  planSet,
  viewOf,
  type Excess,
  type MachineView,
  type SetGoal,
  type SetMachine,
  type SetStep,
} from './machine-set'
export { planRollout, questions } from './plan'
export { deletionPriority, inDeletionOrder, inHarnessOrder, numberOf, tiesOf, type Candidate } from './priority'
export type * from './types'
