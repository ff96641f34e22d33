import type { FieldChange, RevisionPair } from './types'

// Which template an object was cloned from is shown, but what counts is what stands in the templates.
const REFERENCE = /^(infrastructureRef|bootstrap\.configRef)(\.|$)/
const KIND = /^(infrastructureRef|bootstrap\.configRef)\.(kind|apiGroup)$/

/** Whether a change is one of content; the others only name another template. */
export const ofContent = (change: FieldChange): boolean => change.object !== 'machine' || !REFERENCE.test(change.path)

/** Another kind of template is more than a name. */
export const isKind = ({ object, path }: Pick<FieldChange, 'object' | 'path'>): boolean =>
  object === 'machine' && KIND.test(path)

const RULE = /^rollout\./

/** A rule of the group that replaces machines by the clock; it stands in no machine. */
export const isRule = ({ object, path }: Pick<FieldChange, 'object' | 'path'>): boolean =>
  object === 'machine' && RULE.test(path)

/** Nothing but such rules: what its machines are to be is the same as before. */
export const isByRule = ({ fields }: { fields?: readonly Pick<FieldChange, 'object' | 'path'>[] }): boolean =>
  (fields ?? []).length > 0 && fields!.every(isRule)

/** Whether it stands in Cluster API's question about the machines: of rules the digest speaks that the change is bound to. */
export const isAskedAbout = (change: FieldChange): boolean => ofContent(change) && !isRule(change)

/** Whether Cluster API asks about a pair now: not where it is replaced in any case, but while that lies ahead. */
export const isAsked = ({
  certainReplace,
  otherKind,
  later,
  changes,
}: Pick<RevisionPair, 'certainReplace' | 'otherKind' | 'later' | 'changes'>): boolean =>
  !certainReplace || otherKind === true || (later === true && !changes.every(isRule))

/** Whether a pair moves machines now: one that has only a date ahead moves them when that comes. The name of a template alone does. */
export const movesNow = ({ later, changes }: RevisionPair): boolean => !later || !changes.every(isRule)
