import type { Outcome, Outlook, RevisionPair } from '../changes/types'
import type { VerdictCounts } from '../verdict'

/** What a plan comes to, from quiet to urgent. `unknown`: something cannot be determined; `blocked`: it could not begin. */
export const PLAN_VERDICTS = ['nothing', 'in-place', 'replace', 'unknown', 'blocked', 'invalid'] as const
export type PlanVerdict = (typeof PLAN_VERDICTS)[number]

/** Exit codes of the command line, one for each kind of answer a check has to tell apart. */
export const EXIT_CODES: Record<PlanVerdict, number> = {
  nothing: 0,
  'in-place': 0,
  replace: 10,
  unknown: 11,
  blocked: 11,
  invalid: 12,
}

export const worstOf = (verdicts: readonly PlanVerdict[]): PlanVerdict =>
  verdicts.reduce<PlanVerdict>(
    (worst, v) => (PLAN_VERDICTS.indexOf(v) > PLAN_VERDICTS.indexOf(worst) ? v : worst),
    'nothing',
  )

/** The way that would be taken: in place where that is possible. */
export const wayOf = ({ inPlace, unknown, replace }: Outlook): Outcome => inPlace ?? unknown ?? replace

interface Considered {
  pairs: readonly RevisionPair[]
  outlook: Outlook
  /** How many machines have which verdict. */
  counts: VerdictCounts
  undetermined: readonly string[]
}

/** What is planned for one group comes to. Machines that go, for whatever reason, are never "in place". */
export function groupVerdict({ pairs, outlook, counts, undetermined }: Considered): PlanVerdict {
  if (pairs.some((pair) => pair.missing)) return 'blocked'
  // What is held although no machine differs from it: what it would do, nobody knows.
  const unexplained = pairs.some((pair) => pair.machines === 0)
  if (unexplained || undetermined.length > 0 || (counts.unknown ?? 0) > 0) return 'unknown'
  const { counts: ways, deleted } = wayOf(outlook)
  if (deleted > 0 || (ways.replace ?? 0) > 0) return 'replace'
  return pairs.length > 0 ? 'in-place' : 'nothing'
}

const machines = (n: number): string => `${n} machine${n === 1 ? '' : 's'}`

/**
 * A group none of whose machines is outdated: at most there will be more or fewer of them. `unknown`: why that cannot be told
 * for certain.
 */
export function unchangedOutlook(name: string, replicas: number, there: number, unknown?: string): Outlook {
  const more = replicas - there
  const scaled =
    more === 0
      ? ''
      : `; ${machines(Math.abs(more))} would be ${more > 0 ? 'created' : 'deleted'} (${replicas} wanted, ${there} there)`
  return {
    inPlace: null,
    whyNotInPlace: 'There is nothing to update.',
    replace: {
      counts: there > 0 ? { [unknown ? 'unknown' : 'up-to-date']: Math.min(there, replicas) || there } : {},
      created: Math.max(0, more),
      deleted: Math.max(0, -more),
      ...(more > 0 ? { added: more } : more < 0 ? { removed: -more } : {}),
      headline: unknown
        ? `What would become of its machines cannot be told: ${unknown}`
        : `No machine of ${name} would be updated or replaced${scaled}.`,
    },
    uncovered: [],
  }
}

/** A group that does not exist yet. */
export const newOutlook = (name: string, replicas: number): Outlook => ({
  inPlace: null,
  whyNotInPlace: 'The group does not exist yet: there is nothing to update.',
  replace: {
    counts: {},
    created: replicas,
    deleted: 0,
    added: replicas,
    headline: `${name} does not exist yet: ${machines(replicas)} would be created.`,
  },
  uncovered: [],
})

/** A group that would go, with its machines. */
export const deletedOutlook = (name: string, there: number): Outlook => ({
  inPlace: null,
  whyNotInPlace: 'The group would be deleted.',
  replace: {
    counts: there > 0 ? { replace: there } : {},
    created: 0,
    deleted: there,
    removed: there,
    headline: `${name} would be deleted${there > 0 ? ` with its ${machines(there)}` : ''}.`,
  },
  uncovered: [],
})

interface Told {
  groups: readonly { verdict: PlanVerdict; outlook: Outlook }[]
  invalid: number
  unknown: number
}

/** The plan in one sentence. */
export function planHeadline({ groups, invalid, unknown }: Told): string {
  const n = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
  if (invalid > 0)
    return `${n(invalid, 'document')} cannot be applied as ${invalid === 1 ? 'it is' : 'they are'}. ${groups.length > 0 ? 'What follows is only the rest.' : 'Nothing was planned.'}`
  const of = (verdict: PlanVerdict) => groups.filter((group) => group.verdict === verdict)
  const blocked = of('blocked').length
  if (blocked > 0) return `${n(blocked, 'group')} could not be updated at all.`
  const undetermined = of('unknown').length + unknown
  if (undetermined > 0) return `What ${n(undetermined, 'object')} would do to machines cannot be told for certain.`
  const sum = (pick: (outcome: Outcome) => number) =>
    groups.reduce((total, { outlook }) => total + pick(wayOf(outlook)), 0)
  const stay = sum(({ counts }) => (counts['in-place'] ?? 0) + (counts['in-place-with-spare'] ?? 0))
  // What goes when somebody deletes it goes not by this.
  const bySomebody = (outcome: Outcome) => (outcome.onDelete ? outcome.deleted - (outcome.removed ?? 0) : 0)
  const deleted = sum((outcome) => outcome.deleted - bySomebody(outcome))
  const created = sum((outcome) => outcome.created - bySomebody(outcome))
  const later = sum(bySomebody)
  const parts = [
    stay > 0 && `${machines(stay)} updated in place`,
    deleted > 0 && `${machines(deleted)} deleted`,
    created > 0 && `${machines(created)} created`,
    later > 0 && `${machines(later)} replaced when somebody deletes ${later === 1 ? 'it' : 'them'}`,
  ].filter(Boolean)
  return parts.length > 0 ? `Applied, this comes to: ${parts.join(', ')}.` : 'No machine would be touched.'
}
