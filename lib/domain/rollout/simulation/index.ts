export { reconcileDeployment, type DeploymentPass } from './deployment'
export { deleteMachine, reconcileMachine } from './machine'
export { reconcileSet, type SetPass } from './set'
export { isOver, type SimulatedMachine, type SimulatedSet, type Simulation } from './state'
