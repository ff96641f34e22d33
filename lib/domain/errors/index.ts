export { explain, explanation, explanationOf, NO_TROUBLE, troubleOf } from './explain'
export { unknownError, unknownKey, type UnknownError } from './normalise'
export type { ErrorFacts, Explanation } from './types'
export { CONFIG_DAEMON, FAILURE, NEVER_JOINED, NOT_CALLED } from './types'
