export { authorship, standingOf, type Approval, type Authorship, type Standing } from './approvals'
export { effective, meansNothing, type Idle, type Rolled } from './effective'
export { durationOf, isDuration } from './expiry'
export { limitFrom, limitOf, limitWords } from './failures'
export { BUILT_IN, resolve, resolveFitting, type Fitting } from './resolve'
export { byPrecedence, matcher, specificity } from './select'
export {
  couldNotRoll,
  isNone,
  shapeMissing,
  shapePolicies,
  SHAPE_RULES,
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
  type Strategy,
  type Times,
  type Told,
  type Wave,
} from './types'
export { shareFrom, shareOf, type Share } from './share'
export { spansWords, spanWords, utc } from './spans'
export { waveWords, wavesWords } from './waves'
export { wayByItself, whyNotThisWay } from './ways'
export { policiesIn, RULES, RULE_WORDS, ruleWords, saidRules, whyWords } from './words'
