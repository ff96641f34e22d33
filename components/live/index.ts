export { ApiProblem, getJson, problemFrom } from './fetcher'
export type { LiveState } from './follow'
export { LiveProvider, useLive } from './provider'
export { useAction, useAsked, type Asked, type Failed } from './use-action'
