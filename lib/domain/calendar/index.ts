export { followProblem, spanProblem } from './spans'
export { hasTimes, openings, opensAfter, timingAt, type Closing, type Timing } from './timing'
