export { startOpenShiftControllers } from './controllers'
export { kubernetesOf, openShiftFleet, type OpenShiftFleetOptions } from './fleet'
export { formOf, openShiftResources } from './resources'
export { PLATFORM_NAMES, type PlatformName } from './platforms'
