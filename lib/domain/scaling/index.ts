export { carry, scaledBy, type Carry, type SetSize } from './carry'
export { SCALED, SKIP_PREFLIGHT, SKIPPED } from './names'
export { CHECKS, skip, unskip } from './skipped'
