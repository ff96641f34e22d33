export type { HealthCheckSpec, Limit, Unhealthy } from './types'
export { fits } from './select'
export { amissBy, dueOf, type Amiss, type Due } from './due'
export { acts, allows, isCounted, LEVELS, risksOf, type Level, type Risk, type Updates } from './danger'
export {
  LEFT_AFTER_MIN,
  namesChange,
  REMEDIATE,
  restoring,
  SKIP_MARK,
  SKIPPED_BY_DRYDOCK,
  skipping,
  SKIPS_REMEDIATION,
} from './marks'
export { fateWords, type About, type Ill } from './fate'
