export { followProblem, spanProblem } from './spans'
export { hasTimes, openings, timingAt, type Timing } from './timing'
