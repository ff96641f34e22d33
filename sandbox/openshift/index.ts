export { startOpenShiftControllers, type OpenShiftControllersOptions } from './controllers'
export { openShiftFleet, type OpenShiftFleetOptions } from './fleet'
export { openShiftResources } from './resources'
export { writeSeeds, type Seed } from './seed'
