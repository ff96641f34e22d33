export { followProblem, spanProblems } from './spans'
export { hasTimes, openings, opensAfter, shutTimes, timingAt, type Closing, type Timing } from './timing'
