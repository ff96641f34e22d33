export { followProblem, spanProblem } from './spans'
export { hasTimes, openings, timingAt, type Closing, type Timing } from './timing'
