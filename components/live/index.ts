export { AskAgain } from './ask-again'
export { getJson, problemFrom } from './fetcher'
export { LiveProvider, useLive } from './provider'
export { useAction, useAsked, type Asked, type Failed } from './use-action'
