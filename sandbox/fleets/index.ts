export { clusterApiFleet } from './cluster-api'
export { startLife } from './life'
export { playScenario } from './scenario'
export type { Seed } from './seeds'
