export { explain, explanation, explanationOf, NO_TROUBLE, troubleOf, type Trouble } from './explain'
export { unknownError, unknownKey, type UnknownError } from './normalise'
export type { Entry, ErrorFacts, Explained, Explanation } from './types'
export { CONFIG_DAEMON, FAILURE, NEVER_JOINED, NOT_CALLED } from './types'
