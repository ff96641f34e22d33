export { startReferenceUpdater, type RunningUpdater, type UpdaterOptions } from './server'
export { nodePatcher, nodeStatus } from './node'
export type { Host } from './update'
