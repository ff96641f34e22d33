export { carry, scaledBy, type Carry, type SetSize } from './carry'
export { unmade, type Revision } from './unmade'
export { SCALED, SKIP_PREFLIGHT, SKIPPED } from './names'
export { CHECKS, skip, unskip } from './skipped'
