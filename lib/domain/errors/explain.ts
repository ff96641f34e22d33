import { drainEndIn } from '../drain-time-out'
import { CATALOGUE } from './catalogue'
import { filled, found, LOOKED_AT, searched, template, type Template } from './template'
import type { Entry, ErrorFacts, Explained, Explanation, Provider } from './types'

const KINDS: readonly [prefix: string, provider: Provider][] = [
  ['aws', 'aws'],
  ['azure', 'azure'],
  ['gcp', 'gcp'],
  ['vsphere', 'vsphere'],
  ['metal3', 'metal3'],
  ['baremetal', 'metal3'],
  ['openstack', 'openstack'],
  ['docker', 'docker'],
  ['dev', 'docker'],
]

export function providersOf({ api, infrastructure }: Pick<ErrorFacts, 'api' | 'infrastructure'>): Provider[] {
  const kind = infrastructure?.toLowerCase() ?? ''
  const made = KINDS.find(([prefix]) => kind.startsWith(prefix))?.[1]
  const family: Provider = api === 'machine.openshift.io' ? 'machine-api' : 'cluster-api'
  return made ? [family, made] : [family]
}

interface Compiled {
  entry: Entry
  conditions: readonly string[] | null
  reasons: readonly string[] | null
  templates: readonly Template[] | null
}

const list = (given: string | readonly string[] | undefined): readonly string[] | null =>
  given === undefined ? null : typeof given === 'string' ? [given] : given

const compile = (entry: Entry): Compiled => ({
  entry,
  conditions: list(entry.condition),
  reasons: list(entry.reason),
  templates:
    list(entry.message)
      ?.map(template)
      .sort((a, b) => b.length - a.length) ?? null,
})

const compiled = CATALOGUE.map(compile)
const anyCondition = compiled.filter((c) => !c.conditions)
/** Those that may say something of a condition: its own, and those that ask for none. */
const byCondition = new Map(
  [...new Set(compiled.flatMap((c) => c.conditions ?? []))].map((condition) => [
    condition,
    compiled.filter((c) => !c.conditions || c.conditions.includes(condition)),
  ]),
)
const byId = new Map(CATALOGUE.map((entry) => [entry.id, entry]))

export interface Claim extends Explained {
  /** Says more than another claim: its message first, then reason, condition, whose words, and how much of the message. */
  weight: readonly number[]
}

/** Where a condition has no message, Cluster API's summary of several names its reason: "* VirtualMachineProvisioned: TaskFailed". */
const SUMMED = /(?:^|\n) {0,8}\* [A-Za-z]{1,100}: ([A-Z][A-Za-z]{0,100})(?=\n|$)/g
const reasonsOf = ({ reason, message }: ErrorFacts): readonly (string | null)[] =>
  message.includes('* ') ? [reason, ...[...message.slice(0, LOOKED_AT).matchAll(SUMMED)].map((m) => m[1]!)] : [reason]

/** Every entry that has something to say to these facts, the most specific first. */
export function claims(facts: ErrorFacts): Claim[] {
  const providers = providersOf(facts)
  const message = searched(facts.message)
  const said = reasonsOf(facts)
  const all: Claim[] = []
  for (const { entry, conditions, reasons, templates } of byCondition.get(facts.condition ?? '') ?? anyCondition) {
    // A summed reason is of some condition of the provider's; an entry that asks for a condition means that one's own.
    if (reasons && !(conditions ? [facts.reason] : said).some((r) => r !== null && reasons.includes(r))) continue
    if (entry.providers && !entry.providers.some((provider) => providers.includes(provider))) continue
    let length = 0
    let names: Record<string, string> = {}
    let hit: Record<string, string> | null = null
    if (templates) {
      // The longest first.
      const best = templates.find((t) => (hit = found(t, message)) !== null)
      if (!best || !hit) continue
      names = hit
      length = best.length
    }
    const own = entry.providers ? (entry.providers.some((p) => p === providers[1]) ? 2 : 1) : 0
    const weight = [templates ? 1 : 0, entry.general ? 0 : 1, reasons ? 1 : 0, conditions ? 1 : 0, own, length]
    all.push({ entry, words: filled(entry.short, names), weight })
  }
  return all.sort((a, b) => compare(b.weight, a.weight))
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return 0
}

const REMEMBERED = 2_000
type Answer = Omit<ErrorFacts, 'message'> & { explained: Explained | null }
/** By message: fleets say the same thousands of times, and to make a key of all facts would cost more than to look. */
const answers = new Map<string, Answer[]>()

/** The entry that says most about it; null: Drydock does not know this error. */
export function explain(facts: ErrorFacts): Explained | null {
  const { api, infrastructure, condition, reason } = facts
  const message = facts.message.length > LOOKED_AT ? facts.message.slice(0, LOOKED_AT) : facts.message
  const said = answers.get(message)
  const known = said?.find(
    (a) => a.condition === condition && a.reason === reason && a.infrastructure === infrastructure && a.api === api,
  )
  if (known) return known.explained
  const [best] = claims(facts)
  const explained = best ? { entry: best.entry, words: best.words } : null
  if (answers.size >= REMEMBERED) answers.clear()
  const answer = { api, infrastructure, condition, reason, explained }
  if (said && said.length < FEW) said.push(answer)
  else answers.set(message, [answer])
  return explained
}
/** Under so many conditions, reasons and kinds one message is remembered. */
const FEW = 20

/** An entry that was found before, with the words that were made of it then. Null where a later version no longer has it. */
export function explanation(id: string | null, words: string | null): Explanation | null {
  const entry = id === null ? undefined : byId.get(id)
  return entry ? explanationOf({ entry, words: words ?? filled(entry.short, {}) }) : null
}

export function explanationOf({ entry, words }: Explained): Explanation {
  const { id, lasts, cause, step, source } = entry
  const until = drainEndIn(words)
  const said = { id, words, cause, step, source, general: entry.general ?? false, stage: entry.stage ?? false }
  // However long it takes otherwise.
  if (until) return { ...said, terminal: false, normally: null, until }
  return {
    ...said,
    terminal: lasts === 'terminal',
    normally: lasts === 'terminal' ? null : lasts.normally,
  }
}

/** What is stored with a machine, and what is to be counted. */
export interface Trouble {
  trouble: string | null
  troubleWords: string | null
  /** The words may stand in the place of the message: they say as much. */
  instead: string | null
  unknown: ErrorFacts | null
}

/** Nothing is the matter. */
export const NO_TROUBLE: Trouble = { trouble: null, troubleWords: null, instead: null, unknown: null }

/** `failing`: it counts as an error, not as a stage that it goes through. */
export function troubleOf(facts: ErrorFacts, failing: boolean): Trouble {
  const known = explain(facts)
  if (!known) return failing ? { ...NO_TROUBLE, unknown: facts } : NO_TROUBLE
  const { entry, words } = known
  return {
    trouble: entry.id,
    troubleWords: words,
    instead: entry.general || entry.stage ? null : words,
    unknown: failing && entry.general ? facts : null,
  }
}
