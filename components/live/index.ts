export { getJson, problemFrom } from './fetcher'
export { LiveProvider, useLive } from './provider'
export { useAction, useAsked, type Asked, type Failed } from './use-action'
