export {
  authorship,
  endOf,
  lapsesAt,
  standingOf,
  whyNotCounted,
  type Approval,
  type Authorship,
  type NotCounted,
  type Standing,
} from './approvals'
export { effective, type Idle } from './effective'
export { meansNothing } from './means-nothing'
export { durationOf, isDuration } from './expiry'
export { goesWords, opensAt } from './goes'
export { insteadOf } from './instead'
export { limitFrom, limitOf, limitWords } from './failures'
export { BUILT_IN, fitter, resolve, resolveFitting, timesFitting, type Fitting, type Times } from './resolve'
export { byPrecedence, matcher, moreSpecific, specificity } from './select'
export {
  couldNotRoll,
  isNone,
  shapeMissing,
  shapePolicies,
  shapeWanted,
  shapeWords,
  type GroupShape,
  type Shape,
} from './shape'
export {
  DELETION_ORDERS,
  STRATEGIES,
  type FailureLimit,
  type Policy,
  type PolicyGroup,
  type PolicySpec,
  type Resolved,
  type Rules,
  type Selection,
  type Span,
  type Told,
  type Wave,
} from './types'
export { neverWords, togetherUnderWords, underWords } from './never-words'
export { shareFrom, shareOf, type Share } from './share'
export { shapeAdvice } from './shape-advice'
export { spansWords, spanWords, utc, utcAnd } from './spans'
export { expiresWords, tooEarly, tooEarlyWords, type TooEarly } from './too-early'
export { wavesWords } from './waves'
export { byItself, isForbidden, wayByItself, whyNotThisWay } from './ways'
export { approvalsWords, policiesIn, RULES, RULE_WORDS, ruleWords, saidRules, tooFewWords, whyWords } from './words'
export type { TooFew } from './words'
export { SHAPE_RULES } from './types'
