import { limitWords } from './failures'
import type { Resolved, Rules, Told } from './types'

const people = (n: number): string => `${n} approval${n === 1 ? '' : 's'}`

const WAYS = { 'in-place': 'in place', replace: 'replacing' } as const

/** "1 of 3 approvals"; where people approved another way than is spoken of, with the way. */
export function approvalsWords(of: {
  way: keyof typeof WAYS
  given: number
  otherwise: number
  needed: number
}): string {
  const part = (n: number) => `${Math.min(n, of.needed)} of `
  const other = WAYS[of.way === 'replace' ? 'in-place' : 'replace']
  if (of.otherwise === 0) return `${part(of.given)}${people(of.needed)}`
  if (of.given === 0) return `${part(of.otherwise)}${people(of.needed)}, ${other}`
  return `${part(of.given)}${of.needed} ${WAYS[of.way]}, ${part(of.otherwise)}${of.needed} ${other}`
}

/** More approvals are asked for than there are people who may give one. */
export interface TooFew {
  needed: number
  people: number
  /** Which asks for them; null: nobody wrote it down. */
  policy: string | null
}

/** Nobody who is waited for comes: what to do. */
export function tooFewWords({ needed, people: may, policy }: TooFew): string {
  const who = may === 0 ? 'nobody may give one' : `only ${may} ${may === 1 ? 'person' : 'people'} may give one`
  const fewer = policy ? `, or ask for fewer in the policy ${policy}` : ''
  return `Too few people may approve it: ${people(needed)} ${needed === 1 ? 'is' : 'are'} asked for, and ${who}. Let an administrator give somebody the role approver${fewer}.`
}

const STRATEGY: Record<Rules['strategy'], string> = {
  'in-place-only': 'in place only, and nothing else instead',
  'prefer-in-place': 'in place where that can be; else replacing, if that is approved',
  replace: 'by new machines',
}

/** What each rule says, as a value beside its name. */
export const RULE_WORDS: { [Rule in keyof Rules]: { name: string; of(value: Rules[Rule]): string } } = {
  approvals: { name: 'approvals', of: (n) => (n === 0 ? 'none: it goes by itself' : people(n)) },
  strategy: { name: 'strategy', of: (strategy) => STRATEGY[strategy] },
  notTheAuthor: {
    name: 'who approves',
    of: (strict) => (strict ? 'anybody but the one who wrote it' : 'also the one who wrote it'),
  },
  reasonRequired: { name: 'reason', of: (required) => (required ? 'has to be given' : 'may be given') },
  expiresAfter: {
    name: 'an approval lasts',
    of: (time) => (time === 'never' ? 'as long as the change waits' : `${time}, if the change is not let go by then`),
  },
  stopsAt: {
    name: 'it stops by itself',
    of: (limit) => (limit === 'never' ? 'never' : `when ${limitWords(limit)} failed`),
  },
  readyWithin: {
    name: 'a machine has failed',
    of: (time) =>
      time === 'never' ? 'by what is reported of it only' : `also if it is not Ready ${time} after its update`,
  },
  remindAfter: { name: 'people are reminded of a hold', of: (time) => (time === 'never' ? 'never' : `after ${time}`) },
  escalateAfter: {
    name: 'everybody sees a hold',
    of: (time) => (time === 'never' ? 'never' : `after ${time}`),
  },
  holdLimit: {
    name: 'the hold of a control plane is called dangerous',
    of: (time) => (time === 'never' ? 'never' : `after ${time}`),
  },
  scaleWhileHeld: {
    name: 'scaling while a worker group is held',
    of: (carried) => (carried ? 'goes on, with the machines that it has' : 'waits, too'),
  },
  maxSurge: { name: 'maxSurge', of: orOwn },
  maxUnavailable: { name: 'maxUnavailable', of: orOwn },
  deletionOrder: { name: 'deletion order', of: orOwn },
  drainTimeout: { name: 'a node may be drained', of: atMost },
  detachTimeout: { name: 'volumes may be detached', of: atMost },
  updaterOrder: {
    name: 'updaters are asked',
    of: (names) => (names.length === 0 ? 'in the order of the page Updaters' : `first: ${names.join(', ')}`),
  },
}

function orOwn(value: number | string | null): string {
  return value === null ? 'as the group says' : String(value)
}

function atMost(time: string | null): string {
  return time === null ? 'as long as the group says' : time === 'never' ? 'without limit' : `for ${time}`
}

export const RULES = Object.keys(RULE_WORDS) as (keyof Rules)[]

/** Those that some policy says; of a decision from before a rule was thought of, that rule is none of them. */
export const saidRules = (rules: Resolved): (keyof Rules)[] =>
  RULES.filter((rule) => ((rules as Partial<Resolved>)[rule]?.policy ?? null) !== null)

/** "2 approvals" */
export function ruleWords<Rule extends keyof Rules>(rule: Rule, value: Rules[Rule]): string {
  return RULE_WORDS[rule].of(value)
}

/** "policy prod (version 3): it names the namespace payments". Empty where no policy says it. */
export const whyWords = ({ policy, why }: Told<unknown>): string =>
  policy ? `policy ${policy.name}${policy.version ? `, version ${policy.version}` : ''}: ${why}` : ''

/** Names of the policies that say something about it. */
export const policiesIn = (rules: Resolved): string[] => [
  ...new Set(
    Object.values(rules)
      .flat()
      .flatMap((told) => told?.policy?.name ?? []),
  ),
]
