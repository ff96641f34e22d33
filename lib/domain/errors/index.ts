export { explain, explanation, explanationOf } from './explain'
export { unknownError, unknownKey, type UnknownError } from './normalise'
export type { Entry, ErrorFacts, Explained, Explanation } from './types'
