export {
  planControlPlane,
  type ControlPlaneMachine,
  type ControlPlaneState,
  type ControlPlaneStep,
} from './control-plane'
export { domainForNew } from './failure-domains'
export { fenceposts, scaled } from './fenceposts'
export { planSet, viewOf, type SetMachine } from './machine-set'
export { planRollout, questions } from './plan'
export { deletionPriority, inDeletionOrder, inHarnessOrder, tiesOf } from './priority'
export type * from './types'
