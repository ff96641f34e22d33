export { startReferenceUpdater, type RunningUpdater, type UpdaterOptions } from './server'
export { nodePatcher } from './node'
export type { Host } from './update'
