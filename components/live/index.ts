export { ApiProblem, getJson, problemFrom } from './fetcher'
export type { LiveState } from './follow'
export { LiveProvider, useLive } from './provider'
